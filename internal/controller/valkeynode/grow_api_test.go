package valkeynode

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/apitest"
)

// growable makes a StorageClass whose volumes can grow.
func (w *world) growable() string {
	w.Helper()
	expand := true
	class := &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "growable-"}, Provisioner: "example.com/none", AllowVolumeExpansion: &expand,
	}
	if err := w.Client.Create(w.Context(), class); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = w.Client.Delete(context.Background(), class) })
	return class.Name
}

// volumeOf gives a node a volume of that size and class.
func volumeOf(size, class string) func(*v1alpha1.ValkeyNode) {
	return func(n *v1alpha1.ValkeyNode) {
		n.Spec.Persistence = &v1alpha1.NodePersistence{PersistenceSpec: v1alpha1.PersistenceSpec{
			Size: resource.MustParse(size), StorageClassName: &class,
		}}
	}
}

func sized(size string) func(*v1alpha1.ValkeyNode) {
	return func(n *v1alpha1.ValkeyNode) { n.Spec.Persistence.Size = resource.MustParse(size) }
}

// asksFor waits until the claim of a node asks for that size.
func (w *world) asksFor(node, size string) {
	w.Helper()
	apitest.Eventually(w.T, func(context.Context) string {
		claim := get(w, "valkey-"+node+"-data", &corev1.PersistentVolumeClaim{})
		if asks := claim.Spec.Resources.Requests.Storage(); asks.Cmp(resource.MustParse(size)) != 0 {
			return fmt.Sprintf("the claim asks for %s, want %s", asks, size)
		}
		return ""
	})
}

// Every step of growing a volume is told, also those that fail, and none of them
// keeps the node from being Ready or replaces its pod. A mistake is taken back,
// as far as to what the volume has.
func TestVolumeGrows(t *testing.T) {
	w := newWorld(t)
	w.Create(t, w.node("a", volumeOf("2Gi", w.growable())))
	w.awaitsReady("a")
	pod := w.pod("a").UID
	steps := []struct {
		name   string
		status func(*corev1.PersistentVolumeClaimStatus)
		reason string
		says   string
	}{
		{"asked for", func(*corev1.PersistentVolumeClaimStatus) {}, v1alpha1.ReasonResizePending, "has 2Gi and is to have 2Ti"},
		{"announced", func(s *corev1.PersistentVolumeClaimStatus) {
			s.Conditions = []corev1.PersistentVolumeClaimCondition{{Type: corev1.PersistentVolumeClaimResizing, Status: corev1.ConditionTrue}}
		}, v1alpha1.ReasonResizing, "growing"},
		{"begun", func(s *corev1.PersistentVolumeClaimStatus) {
			s.AllocatedResourceStatuses = step(corev1.PersistentVolumeClaimControllerResizeInProgress)
		}, v1alpha1.ReasonResizing, "growing"},
		{"failed", func(s *corev1.PersistentVolumeClaimStatus) {
			s.AllocatedResourceStatuses = step(corev1.PersistentVolumeClaimControllerResizeInProgress)
			s.Conditions = []corev1.PersistentVolumeClaimCondition{{
				Type: corev1.PersistentVolumeClaimControllerResizeError, Status: corev1.ConditionTrue, Message: "the quota is used up",
			}}
		}, v1alpha1.ReasonResizeFailed, "the quota is used up"},
		{"on the machine", func(s *corev1.PersistentVolumeClaimStatus) {
			s.AllocatedResourceStatuses = step(corev1.PersistentVolumeClaimNodeResizePending)
		}, v1alpha1.ReasonFileSystemPending, "file system"},
		{"on the machine, by the old word for it", func(s *corev1.PersistentVolumeClaimStatus) {
			s.Conditions = []corev1.PersistentVolumeClaimCondition{{Type: corev1.PersistentVolumeClaimFileSystemResizePending, Status: corev1.ConditionTrue}}
		}, v1alpha1.ReasonFileSystemPending, "file system"},
		{"impossible", func(s *corev1.PersistentVolumeClaimStatus) {
			s.AllocatedResourceStatuses = step(corev1.PersistentVolumeClaimControllerResizeInfeasible)
			s.Conditions = []corev1.PersistentVolumeClaimCondition{{
				Type: corev1.PersistentVolumeClaimControllerResizeError, Status: corev1.ConditionTrue, Message: "1Ti is the most",
			}}
		}, v1alpha1.ReasonResizeInfeasible, "not possible: 1Ti is the most; set size"},
	}
	w.sim.Claims(func(c *corev1.PersistentVolumeClaim) { c.Status.Capacity = storage("2Gi") })
	w.update("a", sized("2Ti"))
	for _, s := range steps {
		w.sim.Claims(func(c *corev1.PersistentVolumeClaim) {
			c.Status.Capacity, c.Status.Conditions, c.Status.AllocatedResourceStatuses = storage("2Gi"), nil, nil
			s.status(&c.Status)
		})
		c := w.awaits("a", v1alpha1.ConditionClaimSizeReady, metav1.ConditionFalse, s.reason)
		if !strings.Contains(c.Message, s.says) {
			t.Errorf("%s: message %q", s.name, c.Message)
		}
		w.awaits("a", v1alpha1.ConditionReady, metav1.ConditionTrue, v1alpha1.ReasonServerAnswers)
	}
	w.asksFor("a", "2Ti")
	w.update("a", sized("3Gi"))
	w.asksFor("a", "3Gi")
	w.update("a", sized("1Gi"))
	w.asksFor("a", "2147483649") // the least that the API server takes
	w.awaits("a", v1alpha1.ConditionClaimSizeReady, metav1.ConditionTrue, v1alpha1.ReasonUpToDate)
	w.settles()
	if w.pod("a").UID != pod {
		t.Error("the pod was replaced")
	}
}

func step(s corev1.ClaimResourceStatus) map[corev1.ResourceName]corev1.ClaimResourceStatus {
	return map[corev1.ResourceName]corev1.ClaimResourceStatus{corev1.ResourceStorage: s}
}

func storage(size string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)}
}

// Volumes grow independently of each other: one that cannot keeps no other one
// waiting.
func TestVolumesGrowInParallel(t *testing.T) {
	const nodes = 20
	w := newWorld(t)
	class := w.growable()
	for i := range nodes {
		w.Create(t, w.node(fmt.Sprintf("n%d", i), volumeOf("1Gi", class)))
	}
	for i := range nodes {
		w.awaitsReady(fmt.Sprintf("n%d", i))
	}
	w.sim.Claims(func(c *corev1.PersistentVolumeClaim) {
		if c.Name == "valkey-n0-data" {
			c.Status.Capacity = storage("1Gi")
		}
	})
	for i := range nodes {
		w.update(fmt.Sprintf("n%d", i), sized("4Gi"))
	}
	for i := range nodes {
		name := fmt.Sprintf("n%d", i)
		w.asksFor(name, "4Gi")
		if i > 0 {
			w.awaits(name, v1alpha1.ConditionClaimSizeReady, metav1.ConditionTrue, v1alpha1.ReasonUpToDate)
		}
	}
	w.awaits("n0", v1alpha1.ConditionClaimSizeReady, metav1.ConditionFalse, v1alpha1.ReasonResizePending)
	w.awaits("n0", v1alpha1.ConditionReady, metav1.ConditionTrue, v1alpha1.ReasonServerAnswers)
}
