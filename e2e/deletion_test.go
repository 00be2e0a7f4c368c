package e2e

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
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
