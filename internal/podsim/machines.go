package podsim

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// machines run pods.
type machines struct {
	ctx       context.Context // of the process
	client    client.Client
	addresses addresses

	mu       sync.Mutex
	clusters map[string]*cluster
	running  map[types.UID]*server
}

// clusterOf returns the cluster that the pod belongs to.
func (m *machines) clusterOf(pod *corev1.Pod) *cluster {
	return m.clusterNamed(pod.Namespace + "/" + pod.Labels[v1alpha1.LabelCluster])
}

func (m *machines) clusterNamed(name string) *cluster {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.clusters[name]
	if c == nil {
		c = newCluster(name)
		m.clusters[name] = c
		go c.live(m.ctx)
	}
	return c
}

// run returns the server of a pod, which the first call starts.
func (m *machines) run(pod *corev1.Pod) (*server, error) {
	c := m.clusterOf(pod)
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.running[pod.UID]; s != nil {
		return s, nil
	}
	s, err := start(pod.Name, c, &m.addresses)
	if err == nil {
		m.running[pod.UID] = s
	}
	return s, err
}

func (m *machines) end(pod types.UID) {
	m.mu.Lock()
	s := m.running[pod]
	delete(m.running, pod)
	m.mu.Unlock()
	if s != nil {
		s.stop()
	}
}

func (m *machines) counts() Counts {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := Counts{Clusters: map[string]ClusterCounts{}, Commands: map[string]int{}}
	for name, c := range m.clusters {
		c.addTo(&all, name)
	}
	return all
}
