package valkeycluster

import (
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/report"
	"github.com/valkey-operator/valkey-operator/internal/topology"
)

// memory is what makes the loop quiet and patient. Nothing is decided by it:
// without it there is a status patch, an event, a pass or a question more than
// needed.
type memory struct {
	mu  *sync.Mutex
	own map[types.NamespacedName]*remembered
}

type remembered struct {
	version string
	status  v1alpha1.ValkeyClusterStatus
	written time.Time // the status
	blocked []topology.Blocked
	waited  int
	told    []report.Event
	// elections are those that were asked for a moment ago.
	elections map[topology.Target]election
}

func newMemory() memory {
	return memory{mu: &sync.Mutex{}, own: map[types.NamespacedName]*remembered{}}
}

func (m memory) of(name types.NamespacedName) *remembered {
	if m.own[name] == nil {
		m.own[name] = &remembered{}
	}
	return m.own[name]
}

// status returns the status that cluster has: what was written last, if the
// cache has not seen that yet.
func (m memory) status(cluster *v1alpha1.ValkeyCluster) v1alpha1.ValkeyClusterStatus {
	m.mu.Lock()
	defer m.mu.Unlock()
	last := m.of(client.ObjectKeyFromObject(cluster))
	if last.version != "" {
		if order, err := resourceversion.CompareResourceVersion(cluster.ResourceVersion, last.version); err == nil && order < 0 {
			return last.status
		}
	}
	return cluster.Status
}

func (m memory) wrote(cluster *v1alpha1.ValkeyCluster, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	last := m.of(client.ObjectKeyFromObject(cluster))
	last.version, last.status, last.written = cluster.ResourceVersion, *cluster.Status.DeepCopy(), now
}

// writtenSince reports whether the status was written after that time.
func (m memory) writtenSince(name types.NamespacedName, t time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.of(name).written.After(t)
}

// news returns those of the events that the pass before did not tell. What is
// done in several steps, or again because the cache is behind, is told once.
func (m memory) news(name types.NamespacedName, events []report.Event) []report.Event {
	m.mu.Lock()
	defer m.mu.Unlock()
	last := m.of(name)
	news := report.News(events, last.told)
	last.told = events
	return news
}

// waited counts the passes in a row that had nothing to do but wait for the
// same things.
func (m memory) waited(name types.NamespacedName, plan topology.Plan) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	last := m.of(name)
	if len(plan.Actions) > 0 || !slices.Equal(last.blocked, plan.Blocked) {
		last.waited = 0
	} else {
		last.waited++
	}
	last.blocked = plan.Blocked
	return last.waited
}

func (m memory) forget(name types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.own, name)
}
