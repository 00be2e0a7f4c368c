package valkeynode

import (
	"context"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/apitest"
)

func persistent(n *v1alpha1.ValkeyNode) {
	n.Spec.Persistence = &v1alpha1.NodePersistence{PersistenceSpec: v1alpha1.PersistenceSpec{Size: resource.MustParse("1Gi")}}
}

func reclaim(p v1alpha1.ReclaimPolicy) func(*v1alpha1.ValkeyNode) {
	return func(n *v1alpha1.ValkeyNode) {
		persistent(n)
		n.Spec.Persistence.ReclaimPolicy = p
	}
}

// claim returns a claim of that name, as somebody made it.
func (w *world) claim(name string, labels map[string]string) *corev1.PersistentVolumeClaim {
	c := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name, Labels: labels}}
	c.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	c.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("5Gi")}
	class := "earlier"
	c.Spec.StorageClassName = &class
	return c
}

func ours(node string) map[string]string {
	return map[string]string{v1alpha1.LabelNode: node, v1alpha1.LabelManagedBy: "valkey-operator"}
}

func TestClaimLeftBehindIsTakenBack(t *testing.T) {
	w := newWorld(t)
	left := w.claim("valkey-a-data", ours("a"))
	w.Create(t, left, w.node("a", persistent))
	w.awaitsReady("a")

	claim := get(w, "valkey-a-data", &corev1.PersistentVolumeClaim{})
	if claim.UID != left.UID {
		t.Error("another claim was made")
	}
	if *claim.Spec.StorageClassName != "earlier" || claim.Spec.Resources.Requests.Storage().String() != "5Gi" {
		t.Errorf("what cannot be changed was changed: %+v", claim.Spec)
	}
}

func TestForeignClaimIsNotTouched(t *testing.T) {
	for name, labels := range map[string]map[string]string{
		"nobody's":       nil,
		"another node's": ours("b"),
		"another tool's": {v1alpha1.LabelNode: "a", v1alpha1.LabelManagedBy: "helm"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			foreign := w.claim("valkey-a-data", labels)
			w.Create(t, foreign, w.node("a", persistent))
			c := w.awaits("a", v1alpha1.ConditionClaimReady, metav1.ConditionFalse, v1alpha1.ReasonClaimConflict)
			if !strings.Contains(c.Message, "claim valkey-a-data exists") {
				t.Errorf("message %q", c.Message)
			}
			w.settles()
			err := w.Client.Get(t.Context(), w.key("valkey-a"), &appsv1.StatefulSet{})
			if !apierrors.IsNotFound(err) {
				t.Errorf("the workload was made: %v", err)
			}
			if now := get(w, "valkey-a-data", &corev1.PersistentVolumeClaim{}); len(now.Labels) != len(labels) {
				t.Errorf("labels became %v", now.Labels)
			}
		})
	}
}

func TestForeignClaimThatGoesIsReplaced(t *testing.T) {
	w := newWorld(t)
	foreign := w.claim("valkey-a-data", nil)
	w.Create(t, foreign, w.node("a", persistent))
	w.awaits("a", v1alpha1.ConditionClaimReady, metav1.ConditionFalse, v1alpha1.ReasonClaimConflict)
	if err := w.Client.Delete(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	w.awaitsReady("a")
}

func TestClaimInDeletionIsNotUsed(t *testing.T) {
	w := newWorld(t)
	going := w.claim("valkey-a-data", ours("a"))
	going.Finalizers = []string{"example.com/backup"}
	w.Create(t, going)
	if err := w.Client.Delete(t.Context(), going); err != nil {
		t.Fatal(err)
	}
	w.sim.Claims(func(c *corev1.PersistentVolumeClaim) { c.Status.Phase = corev1.ClaimLost }) // keeps its finalizer
	w.Create(t, w.node("a", persistent))
	w.awaits("a", v1alpha1.ConditionClaimReady, metav1.ConditionFalse, v1alpha1.ReasonClaimTerminating)
	w.awaits("a", v1alpha1.ConditionResourcesReady, metav1.ConditionFalse, v1alpha1.ReasonClaimTerminating)
}

func TestStorageClassThatDoesNotExist(t *testing.T) {
	w := newWorld(t)
	w.sim.Claims(func(c *corev1.PersistentVolumeClaim) { c.Status.Phase, c.Status.Capacity = corev1.ClaimPending, nil })
	w.Create(t, w.node("a", persistent, func(n *v1alpha1.ValkeyNode) {
		class := "gp3-typo"
		n.Spec.Persistence.StorageClassName = &class
	}))
	c := w.awaits("a", v1alpha1.ConditionClaimReady, metav1.ConditionFalse, v1alpha1.ReasonStorageClass)
	if !strings.Contains(c.Message, "gp3-typo") {
		t.Errorf("message %q", c.Message)
	}
	w.set("a") // exists: the pod waits for the volume, and nothing else does
}

func TestClaimWithoutDefaultClass(t *testing.T) {
	w := newWorld(t)
	w.sim.Claims(func(c *corev1.PersistentVolumeClaim) { c.Status.Phase, c.Status.Capacity = corev1.ClaimPending, nil })
	w.Create(t, w.node("a", persistent))
	w.awaits("a", v1alpha1.ConditionClaimReady, metav1.ConditionFalse, v1alpha1.ReasonNoStorageClass)
}

func TestClaimKeepsNoOwnerAndItsLabels(t *testing.T) {
	w := newWorld(t)
	w.Create(t, w.node("a", persistent, func(n *v1alpha1.ValkeyNode) {
		n.Labels = map[string]string{v1alpha1.LabelCluster: "cache", "team": "blue"}
	}))
	w.awaitsReady("a")
	claim := get(w, "valkey-a-data", &corev1.PersistentVolumeClaim{})
	if len(claim.OwnerReferences) > 0 || claim.Labels[v1alpha1.LabelCluster] != "cache" || claim.Labels["team"] != "" {
		t.Errorf("metadata %+v", claim.ObjectMeta)
	}
	// Somebody takes the labels away: the claim leaves the cache, and is found.
	claim.Labels = nil
	if err := w.Client.Update(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
	w.awaits("a", v1alpha1.ConditionClaimReady, metav1.ConditionFalse, v1alpha1.ReasonClaimConflict)
	w.awaits("a", v1alpha1.ConditionReady, metav1.ConditionTrue, v1alpha1.ReasonServerAnswers)
}

func TestSizeIsRaisedAndRefused(t *testing.T) {
	w := newWorld(t)
	w.Create(t, w.node("a", persistent))
	w.awaitsReady("a")
	w.awaits("a", v1alpha1.ConditionClaimSizeReady, metav1.ConditionTrue, v1alpha1.ReasonUpToDate)
	pod := w.pod("a").UID
	// Without a class that can grow, the API server refuses.
	w.update("a", func(n *v1alpha1.ValkeyNode) { n.Spec.Persistence.Size = resource.MustParse("2Gi") })
	c := w.awaits("a", v1alpha1.ConditionClaimSizeReady, metav1.ConditionFalse, v1alpha1.ReasonResizeRefused)
	if !strings.Contains(c.Message, "resize") {
		t.Errorf("message %q", c.Message)
	}
	w.awaits("a", v1alpha1.ConditionReady, metav1.ConditionTrue, v1alpha1.ReasonServerAnswers)
	w.update("a", func(n *v1alpha1.ValkeyNode) { n.Spec.Persistence.Size = resource.MustParse("1Gi") })
	w.awaits("a", v1alpha1.ConditionClaimSizeReady, metav1.ConditionTrue, v1alpha1.ReasonUpToDate)
	if w.pod("a").UID != pod {
		t.Error("the pod was replaced")
	}
}

func TestPersistenceAddedLater(t *testing.T) {
	w := newWorld(t)
	w.Create(t, w.node("a"))
	w.awaitsReady("a")
	before := w.pod("a").UID
	w.update("a", persistent)
	apitest.Eventually(t, func(ctx context.Context) string {
		pod := &corev1.Pod{}
		if err := w.Client.Get(ctx, w.key("valkey-a-0"), pod); err != nil || pod.UID == before {
			return "the pod was not replaced"
		}
		for _, v := range pod.Spec.Volumes {
			if v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == "valkey-a-data" {
				return ""
			}
		}
		return "the new pod does not use the claim"
	})
	w.awaitsReady("a")
}
