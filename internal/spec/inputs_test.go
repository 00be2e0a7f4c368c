package spec

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// These hashes are written into every running pod: if one of them changes, an
// upgrade of the operator restarts every cluster. Extend Inputs so that they
// stay.
func TestHashIsTheSameForEver(t *testing.T) {
	full := smallest()
	full.Annotations = map[string]string{v1alpha1.AnnotationRestartedAt: "2026-11-30"}
	full.Spec.Image = "valkey/valkey:8.1"
	full.Spec.Persistence = &v1alpha1.PersistenceSpec{Size: resource.MustParse("10Gi")}
	full.Spec.Resources = corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("500m"), corev1.ResourceMemory: resource.MustParse("1Gi")},
		Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("2Gi")},
	}
	for name, tc := range map[string]struct {
		resource *v1alpha1.ValkeyCluster
		want     string
	}{
		"smallest": {smallest(), "44136fa355b3678a"},
		"full":     {full, "4ab39f9d057144b9"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Resolve(tc.resource, Defaults{}).InputsHash(); got != tc.want {
				t.Errorf("hash %s, want %s", got, tc.want)
			}
		})
	}
}

func TestWhatAsksForARestart(t *testing.T) {
	memory := func(size string) func(*v1alpha1.ValkeyCluster) {
		return func(r *v1alpha1.ValkeyCluster) {
			r.Spec.Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(size)}
		}
	}
	annotated := func(key string) func(*v1alpha1.ValkeyCluster) {
		return func(r *v1alpha1.ValkeyCluster) { r.Annotations = map[string]string{key: "now"} }
	}
	volume := func(size string) func(*v1alpha1.ValkeyCluster) {
		return func(r *v1alpha1.ValkeyCluster) {
			r.Spec.Persistence = &v1alpha1.PersistenceSpec{Size: resource.MustParse(size)}
		}
	}
	none := func(*v1alpha1.ValkeyCluster) {}
	for name, tc := range map[string]struct {
		before, after func(*v1alpha1.ValkeyCluster)
		restart       bool
	}{
		"image":                  {none, func(r *v1alpha1.ValkeyCluster) { r.Spec.Image = "valkey/valkey:8.1" }, true},
		"resources":              {none, memory("1Gi"), true},
		"resources, other value": {memory("1Gi"), memory("2Gi"), true},
		"resources, other words": {memory("1Gi"), memory("1024Mi"), false},
		"restartedAt":            {none, annotated(v1alpha1.AnnotationRestartedAt), true},
		"another annotation":     {none, annotated("team"), false},
		"a volume":               {none, volume("1Gi"), true},
		"a larger volume":        {volume("1Gi"), volume("2Gi"), false},
		"shards":                 {none, func(r *v1alpha1.ValkeyCluster) { r.Spec.Shards = 5 }, false},
		"replicas":               {none, func(r *v1alpha1.ValkeyCluster) { r.Spec.Replicas = 2 }, false},
	} {
		t.Run(name, func(t *testing.T) {
			before, after := smallest(), smallest()
			tc.before(before)
			tc.after(after)
			changed := Resolve(before, Defaults{}).InputsHash() != Resolve(after, Defaults{}).InputsHash()
			if changed != tc.restart {
				t.Errorf("hash changed: %t, want %t", changed, tc.restart)
			}
		})
	}
}

func TestOtherDefaultsRestartNothing(t *testing.T) {
	before := Resolve(smallest(), Defaults{})
	after := Resolve(smallest(), Defaults{Image: "valkey/valkey:10.0"})
	if before.Image == after.Image {
		t.Fatal("the test changes no default")
	}
	if before.InputsHash() != after.InputsHash() {
		t.Error("another default image changes the hash")
	}
}
