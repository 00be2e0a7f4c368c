package e2e

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// A cluster that is deleted in the foreground is there until its nodes are gone.
// Its claims stay, and the next cluster of that name has its keys.
func TestDeletedInForeground(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.mustApply(manifest("c", 1, 1, "  persistence: {size: 1Gi}"))
	e.awaitReady("c")
	e.write("c", 100)
	cluster := e.cluster("c")
	e.must(e.Delete(e.ctx(), cluster, client.PropagationPolicy(metav1.DeletePropagationForeground)))
	e.awaitGone(cluster)
	if n, p := len(e.nodes("c")), len(e.claims()); n > 0 || p != 2 {
		t.Errorf("%d nodes and %d claims are left, want 0 and 2", n, p)
	}
	e.mustApply(manifest("c", 1, 1, "  persistence: {size: 1Gi}"))
	e.awaitReady("c")
	e.read("c", 100)
}

// Nodes that a deleted cluster leaves behind as orphans go on serving and belong
// to no other cluster of that name, which says what is in its way. They are
// anybody's to delete, and their claims stay.
func TestDeletedWithOrphans(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.mustApply(manifest("c", 1, 1, "  persistence: {size: 1Gi}"))
	e.awaitReady("c")
	e.write("c", 100)
	before := e.pods("c")
	cluster := e.cluster("c")
	e.must(e.Delete(e.ctx(), cluster, client.PropagationPolicy(metav1.DeletePropagationOrphan)))
	e.awaitGone(cluster)

	e.mustApply(manifest("c", 1, 1, "  persistence: {size: 1Gi}"))
	e.eventually("the new cluster says that something is not its own", func() error {
		if s := e.cluster("c").Status; s.State != v1alpha1.StateFailed || s.Reason != v1alpha1.ReasonNameConflict {
			return errorf("%s, %s: %s", s.State, s.Reason, s.Message)
		}
		return nil
	})
	e.read("c", 100)
	next := e.cluster("c")
	e.must(e.Delete(e.ctx(), next))
	e.awaitGone(next)
	e.read("c", 100)
	for name, pod := range e.pods("c") {
		if pod.UID != before[name].UID {
			t.Errorf("the pod of %s was replaced", name)
		}
	}
	for _, node := range e.nodes("c") {
		e.must(e.Delete(e.ctx(), &node))
		e.awaitGone(&node)
	}
	if n := len(e.claims()); n != 2 {
		t.Errorf("%d claims are left, want 2", n)
	}
}
