package e2e

import (
	"os"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/internal/podtest"
)

// lifetime is how long an operator acts before it is killed.
const lifetime = 2 * time.Second

// lives are operators that were killed soon after they became leaders.
type lives struct {
	led, acted int
}

// killLeaders kills every operator a moment after it began to act, until the
// work is done.
func (e *env) killLeaders(done func() bool) lives {
	e.t.Helper()
	var l lives
	last := e.leader()
	for begin := time.Now(); !done(); time.Sleep(100 * time.Millisecond) {
		if time.Since(begin) > 6*patience { // each life costs the time that a lease lasts
			e.t.Fatalf("not done after %v and %d leaderships", time.Since(begin), l.led)
		}
		now := e.leader()
		if now == "" || now == last {
			continue
		}
		last = now
		time.Sleep(lifetime)
		l.led++
		if e.acted(now) {
			l.acted++
		}
		e.killOperator()
	}
	return l
}

// leader returns the identity of the operator that holds the lease.
func (e *env) leader() string {
	leases := &coordinationv1.LeaseList{}
	e.must(e.List(e.ctx(), leases, client.InNamespace("valkey-operator-system")))
	for _, l := range leases.Items {
		if l.Spec.HolderIdentity != nil {
			return *l.Spec.HolderIdentity
		}
	}
	return ""
}

// acted reports whether an operator told of anything that it did to a cluster.
// The identity of a leader begins with the name of its pod.
func (e *env) acted(leader string) bool {
	pod, _, _ := strings.Cut(leader, "_")
	events := &corev1.EventList{}
	e.must(e.List(e.ctx(), events, client.InNamespace(e.Name)))
	for _, ev := range events.Items {
		if strings.Contains(ev.ReportingInstance, pod) {
			return true
		}
	}
	return false
}

// Every operator is killed two seconds after it has become leader, while all
// pods are replaced under writes. The next one goes on from what it sees: no
// write fails and none is lost (A2).
func TestLeadersKilledWhileRolling(t *testing.T) {
	if os.Getenv("E2E_SOAK") == "" {
		t.Skip("SKIPPED: takes some minutes, as each leader's lease has to run out; make soak runs it")
	}
	e := newEnv(t)
	e.mustApply(manifest("c", 3, 1, "  persistence: {size: 1Gi}"))
	e.awaitReady("c")
	before := e.pods("c")
	p := e.startProbe("c", 0)
	e.mustApply(manifest("c", 3, 1, "  persistence: {size: 1Gi}\n  resources: {requests: {cpu: 11m}}"))
	e.killOperator()
	l := e.killLeaders(func() bool {
		now := e.pods("c")
		for name, pod := range before {
			if now[name].UID == pod.UID || now[name].UID == "" {
				return false
			}
		}
		return podtest.Ready(e.cluster("c")) == nil
	})
	t.Logf("%d leaderships, %d of them told of an action", l.led, l.acted)
	if l.led == 0 || l.acted == 0 {
		t.Error("nothing was interrupted")
	}
	e.awaitReady("c")
	e.finish(p, false)
}
