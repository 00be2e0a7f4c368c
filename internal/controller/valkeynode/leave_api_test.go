package valkeynode

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/apitest"
)

// parentOfNodes makes something that can own nodes, and returns what makes a
// node its child.
func (w *world) parentOfNodes(name string) (client.Object, func(*v1alpha1.ValkeyNode)) {
	parent := &v1alpha1.ValkeyCluster{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name}}
	parent.Spec.Shards = 1
	w.Create(w.T, parent)
	return parent, func(n *v1alpha1.ValkeyNode) {
		n.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(parent, v1alpha1.GroupVersion.WithKind("ValkeyCluster"))}
		n.Finalizers = []string{v1alpha1.FinalizerProtection, v1alpha1.FinalizerVolumeCleanup}
	}
}

func (w *world) delete(o client.Object) {
	w.Helper()
	if err := w.Client.Delete(w.Context(), o); err != nil {
		w.Fatal(err)
	}
}

func TestNodeWithoutParentGoesAndKeepsItsClaim(t *testing.T) {
	w := newWorld(t)
	n := w.node("a", persistent)
	n.Finalizers = []string{v1alpha1.FinalizerProtection} // nobody else would lift it
	w.Create(t, n)
	w.awaitsReady("a")
	if f := get(w, "a", n).Finalizers; !slices.Contains(f, v1alpha1.FinalizerVolumeCleanup) {
		t.Errorf("finalizers %v", f)
	}
	w.delete(n)
	w.awaitsGone("a", n)
	w.awaitsGone("valkey-a-0", &corev1.Pod{})
	w.awaitsGone("valkey-a", &appsv1.StatefulSet{})
	get(w, "valkey-a-data", &corev1.PersistentVolumeClaim{})
}

func TestClaimGoesByPolicyAndOnlyAfterThePod(t *testing.T) {
	w := newWorld(t)
	n := w.node("a", reclaim(v1alpha1.ReclaimDelete))
	w.Create(t, n)
	w.awaitsReady("a")
	w.sim.Linger(true)
	w.delete(n)
	w.awaitsGone("valkey-a", &appsv1.StatefulSet{})
	w.awaits("a", v1alpha1.ConditionProgressing, metav1.ConditionTrue, v1alpha1.ReasonDeleting)
	w.settles()
	if claim := get(w, "valkey-a-data", &corev1.PersistentVolumeClaim{}); claim.DeletionTimestamp != nil {
		t.Error("the claim is deleted while the pod exists")
	}
	w.sim.Linger(false)
	w.awaitsGone("a", n)
	w.awaitsGone("valkey-a-data", &corev1.PersistentVolumeClaim{})
}

func TestForeignClaimSurvivesThePolicy(t *testing.T) {
	w := newWorld(t)
	n := w.node("a", reclaim(v1alpha1.ReclaimDelete))
	w.Create(t, w.claim("valkey-a-data", nil), n)
	w.awaits("a", v1alpha1.ConditionClaimReady, metav1.ConditionFalse, v1alpha1.ReasonClaimConflict)
	w.delete(n)
	w.awaitsGone("a", n)
	if claim := get(w, "valkey-a-data", &corev1.PersistentVolumeClaim{}); claim.DeletionTimestamp != nil {
		t.Error("somebody else's claim was deleted")
	}
}

// N2: with a parent that stays, the node stays until the parent lets it go, and
// is managed in full meanwhile.
func TestProtectedNodeIsManagedUntilItsParentLetsGo(t *testing.T) {
	w := newWorld(t)
	_, owned := w.parentOfNodes("cache")
	n := w.node("a", owned, persistent)
	w.Create(t, n)
	w.awaitsReady("a")
	w.delete(n)
	w.awaits("a", v1alpha1.ConditionProgressing, metav1.ConditionTrue, v1alpha1.ReasonDeleting)

	before := w.pod("a")
	w.delete(before) // its machine dies
	apitest.Eventually(t, func(ctx context.Context) string {
		live := get(w, "a", &v1alpha1.ValkeyNode{})
		if !live.Status.Ready || live.Status.PodIP == before.Status.PodIP || live.Status.PodIP == "" {
			return "the new pod is not in the status"
		}
		return ""
	})
	w.update("a", func(n *v1alpha1.ValkeyNode) { n.Finalizers = []string{v1alpha1.FinalizerVolumeCleanup} })
	w.awaitsGone("a", n)
	get(w, "valkey-a-data", &corev1.PersistentVolumeClaim{})
}

func TestNodeWhoseParentIsGoneGoes(t *testing.T) {
	for name, leave := range map[string]func(*world, client.Object){
		"deleted": func(w *world, parent client.Object) { w.delete(parent) },
		"made again under the same name": func(w *world, parent client.Object) {
			w.delete(parent)
			w.awaitsGone(parent.GetName(), parent)
			w.parentOfNodes(parent.GetName())
		},
		"in deletion": func(w *world, parent client.Object) {
			parent.SetFinalizers([]string{"example.com/hold"})
			if err := w.Client.Update(w.Context(), parent); err != nil {
				w.Fatal(err)
			}
			w.delete(parent)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			parent, owned := w.parentOfNodes("cache")
			n := w.node("a", owned, persistent)
			w.Create(t, n)
			w.awaitsReady("a")
			leave(w, parent)
			w.delete(n)
			w.awaitsGone("a", n)
		})
	}
}

// Deleted with orphaning, the node leaves everything where it is, and a node of
// the same name takes it back around the same pod.
func TestOrphanedWorkloadStaysAndIsTakenBack(t *testing.T) {
	w := newWorld(t)
	n := w.node("a", reclaim(v1alpha1.ReclaimDelete))
	w.Create(t, n)
	w.awaitsReady("a")
	pod := w.pod("a")
	if err := w.Client.Delete(t.Context(), n, client.PropagationPolicy(metav1.DeletePropagationOrphan)); err != nil {
		t.Fatal(err)
	}
	apitest.Eventually(t, func(ctx context.Context) string {
		live := get(w, "a", &v1alpha1.ValkeyNode{})
		if !slices.Equal(live.Finalizers, []string{metav1.FinalizerOrphanDependents}) {
			return fmt.Sprint("finalizers ", live.Finalizers)
		}
		return ""
	})
	// What the garbage collector does now.
	for _, o := range []client.Object{w.set("a"), get(w, "valkey-a", &corev1.ConfigMap{})} {
		o.SetOwnerReferences(nil)
		if err := w.Client.Update(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	w.update("a", func(n *v1alpha1.ValkeyNode) { n.Finalizers = nil })
	w.awaitsGone("a", n)
	w.settles()
	w.Create(t, w.node("a", persistent))
	w.awaitsReady("a")
	w.settles()
	if now := w.pod("a"); now.UID != pod.UID || now.DeletionTimestamp != nil {
		t.Error("the pod was replaced")
	}
	if owner := metav1.GetControllerOf(w.set("a")); owner == nil || owner.UID == n.UID {
		t.Errorf("the StatefulSet belongs to %v", owner)
	}
}

func TestNodeGoesWithItsNamespace(t *testing.T) {
	w := newIdleWorld(t)
	_, owned := w.parentOfNodes("cache")
	n := w.node("a", owned, persistent)
	w.Create(t, n)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.namespace}}
	if err := w.Client.Delete(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	w.delete(n) // as the namespace controller does, with the operator down
	w.sim.Linger(true)
	start := time.Now()
	w.run()
	w.awaitsGone("a", n)
	if took := time.Since(start); took > time.Minute {
		t.Errorf("took %v", took)
	}
}

func TestNodeThatIsNotDeletedStaysWithoutItsParent(t *testing.T) {
	w := newWorld(t)
	parent, owned := w.parentOfNodes("cache")
	w.Create(t, w.node("a", owned, persistent))
	w.awaitsReady("a")
	w.delete(parent)
	w.settles()
	if n := get(w, "a", &v1alpha1.ValkeyNode{}); len(n.Finalizers) != 2 || n.DeletionTimestamp != nil {
		t.Errorf("metadata %+v", n.ObjectMeta)
	}
	if err := w.Client.Get(t.Context(), w.key("valkey-a-0"), &corev1.Pod{}); apierrors.IsNotFound(err) {
		t.Error("the pod is gone")
	}
}
