package spec

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// smallest is the shortest resource that the API server accepts.
func smallest() *v1alpha1.ValkeyCluster {
	return &v1alpha1.ValkeyCluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "cart", UID: "uid-1"},
		Spec:       v1alpha1.ValkeyClusterSpec{Shards: 3},
	}
}

func TestEveryDefault(t *testing.T) {
	want := Cluster{
		Namespace:    "shop",
		Name:         "cart",
		UID:          "uid-1",
		Shards:       3,
		Image:        "valkey/valkey:9.1",
		WorkloadType: v1alpha1.WorkloadStatefulSet,
		Config: map[string]intstr.IntOrString{
			"cluster-node-timeout":            intstr.FromInt32(2000),
			"cluster-require-full-coverage":   intstr.FromString("no"),
			"cluster-allow-replica-migration": intstr.FromString("no"),
			"repl-diskless-sync-delay":        intstr.FromInt32(0),
		},
		NodeTimeout:     2 * time.Second,
		FailoverTimeout: 5 * time.Second,
		GracePeriod:     time.Minute,
	}
	if diff := cmp.Diff(want, Resolve(smallest(), Defaults{})); diff != "" {
		t.Errorf("unexpected defaults (-want +got):\n%s", diff)
	}
}

func TestWhatTheUserWroteWins(t *testing.T) {
	r := smallest()
	r.Annotations = map[string]string{v1alpha1.AnnotationRestartedAt: "2026-11-30"}
	r.Spec.Replicas = 2
	r.Spec.Image = "example.com/valkey:8.1"
	r.Spec.WorkloadType = v1alpha1.WorkloadDeployment
	r.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}
	r.Spec.Persistence = &v1alpha1.PersistenceSpec{
		Size:             resource.MustParse("10Gi"),
		StorageClassName: ptr.To("gp3"),
		ReclaimPolicy:    v1alpha1.ReclaimDelete,
	}
	want := Resolve(smallest(), Defaults{})
	want.Replicas = 2
	want.Image = "example.com/valkey:8.1"
	want.WorkloadType = v1alpha1.WorkloadDeployment
	want.Resources = r.Spec.Resources
	want.Persistence = r.Spec.Persistence
	want.RestartedAt = "2026-11-30"
	want.Inputs = Inputs{
		Image:       "example.com/valkey:8.1",
		Resources:   &r.Spec.Resources,
		Persistent:  true,
		RestartedAt: "2026-11-30",
	}
	if diff := cmp.Diff(want, Resolve(r, Defaults{Image: "other"})); diff != "" {
		t.Errorf("unexpected cluster (-want +got):\n%s", diff)
	}
}

func TestDefaultImageOfTheOperator(t *testing.T) {
	if got := Resolve(smallest(), Defaults{Image: "mirror/valkey:9.1"}).Image; got != "mirror/valkey:9.1" {
		t.Errorf("image %q, want the operator's own default", got)
	}
}

func TestVolumesAreRetainedByDefault(t *testing.T) {
	r := smallest()
	r.Spec.Persistence = &v1alpha1.PersistenceSpec{Size: resource.MustParse("10Gi")}
	if got := Resolve(r, Defaults{}).Persistence.ReclaimPolicy; got != v1alpha1.ReclaimRetain {
		t.Errorf("reclaim policy %q, want Retain", got)
	}
}

func TestResolveSharesNothingWithTheResource(t *testing.T) {
	r := smallest()
	r.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}
	r.Spec.Persistence = &v1alpha1.PersistenceSpec{Size: resource.MustParse("10Gi")}
	before := r.DeepCopy()
	c := Resolve(r, Defaults{})
	c.Resources.Requests[corev1.ResourceCPU] = resource.MustParse("2")
	c.Persistence.Size = resource.MustParse("1Gi")
	c.Config["cluster-node-timeout"] = intstr.FromInt32(1)
	if diff := cmp.Diff(before, r); diff != "" {
		t.Errorf("the resource was changed (-before +after):\n%s", diff)
	}
	if got := Resolve(r, Defaults{}).Config["cluster-node-timeout"].IntVal; got != 2000 {
		t.Errorf("the defaults were changed: %d", got)
	}
}
