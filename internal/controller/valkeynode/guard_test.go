package valkeynode

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

func TestGuard(t *testing.T) {
	const pod = types.UID("uid-1")
	for _, c := range []struct {
		name   string
		guard  string // "-" for none
		ready  bool
		role   v1alpha1.NodeRole
		alone  bool // without a link to a primary
		allows bool
	}{
		{"no guard", "-", true, v1alpha1.RolePrimary, false, true},
		{"no guard, no answer", "-", true, "", false, true},
		{"same pod and role", "uid-1/replica", true, v1alpha1.RoleReplica, false, true},
		{"same, not ready", "uid-1/replica", false, v1alpha1.RoleReplica, false, true},
		{"primary lost since", "uid-1/replica", true, v1alpha1.RoleReplica, true, false},
		{"no guard, primary lost", "-", true, v1alpha1.RoleReplica, true, true},
		{"promoted since", "uid-1/replica", true, v1alpha1.RolePrimary, false, false},
		{"promoted since, not ready", "uid-1/replica", false, v1alpha1.RolePrimary, false, false},
		{"demoted since", "uid-1/primary", true, v1alpha1.RoleReplica, false, false},
		{"does not answer any more", "uid-1/replica", false, "", false, false},
		{"does not answer any more, ready", "uid-1/replica", true, "", false, false},
		{"did not answer and does not", "uid-1/unknown", false, "", false, true},
		{"did not answer and does not, ready", "uid-1/unknown", true, "", false, false},
		{"did not answer and does now", "uid-1/unknown", false, v1alpha1.RoleReplica, false, false},
		{"another pod", "uid-2/replica", false, v1alpha1.RoleReplica, false, false},
		{"no role", "uid-1", true, v1alpha1.RoleReplica, false, false},
		{"no role, no answer", "uid-1/", false, "", false, false},
		{"nothing", "", false, "", false, false},
		{"only a slash", "/", false, "", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := &v1alpha1.ValkeyNode{}
			if c.guard != "-" {
				n.Spec.PodTemplate.Annotations = map[string]string{v1alpha1.AnnotationRollIf: c.guard}
			}
			if err := guardOf(n).allows(pod, c.ready, c.role, !c.alone); (err == nil) != c.allows {
				t.Errorf("allows: %v", err)
			}
		})
	}
}

func TestOutdated(t *testing.T) {
	pod := func(revision string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"controller-revision-hash": revision}}}
	}
	deleted := pod("old")
	deleted.DeletionTimestamp = &metav1.Time{}
	for name, c := range map[string]struct {
		workload *workload
		pod      *corev1.Pod
		want     bool
	}{
		"same":                   {&workload{revision: "new"}, pod("new"), false},
		"other":                  {&workload{revision: "new"}, pod("old"), true},
		"revision not known yet": {&workload{}, pod("old"), false},
		"in deletion":            {&workload{revision: "new"}, deleted, false},
		"no pod":                 {&workload{revision: "new"}, nil, false},
		"no workload":            {nil, pod("old"), false},
	} {
		if got := outdated(c.workload, c.pod); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
