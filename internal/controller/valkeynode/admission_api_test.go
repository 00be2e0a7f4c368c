package valkeynode

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

func TestAdmission(t *testing.T) {
	w := newIdleWorld(t)
	for name, c := range map[string]struct {
		change func(*v1alpha1.ValkeyNode)
		want   string
	}{
		"persistence of a Deployment": {
			change: func(n *v1alpha1.ValkeyNode) { persistent(n); deployment(n) },
			want:   "persistence requires workloadType StatefulSet",
		},
		"name with a dot": {
			change: func(n *v1alpha1.ValkeyNode) { n.Name = "a.b" },
			want:   "has at most 45 characters and consists of",
		},
		"name too long for its pod": {
			change: func(n *v1alpha1.ValkeyNode) { n.Name = strings.Repeat("a", 46) },
			want:   "has at most 45 characters and consists of",
		},
		"workload type": {
			change: func(n *v1alpha1.ValkeyNode) { n.Spec.WorkloadType = "DaemonSet" },
			want:   "Unsupported value",
		},
		"size of nothing": {
			change: func(n *v1alpha1.ValkeyNode) { persistent(n); n.Spec.Persistence.Size = resource.MustParse("0") },
			want:   "size must be more than 0",
		},
		"class that is no name": {
			change: func(n *v1alpha1.ValkeyNode) { persistent(n); n.Spec.Persistence.StorageClassName = new("A b") },
			want:   "storageClassName is the name of a StorageClass",
		},
		"name of a directive": {
			change: func(n *v1alpha1.ValkeyNode) {
				n.Spec.Config = map[string]intstr.IntOrString{"maxmemory 1\nrequirepass": intstr.FromString("x")}
			},
			want: "the names of directives consist of lower-case letters, digits and dashes",
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := w.Client.Create(t.Context(), w.node("a", c.change))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

func TestAdmissionOfChanges(t *testing.T) {
	w := newIdleWorld(t)
	class := func(name string) func(*v1alpha1.ValkeyNode) {
		return func(n *v1alpha1.ValkeyNode) { n.Spec.Persistence.StorageClassName = &name }
	}
	for name, c := range map[string]struct {
		before, after func(*v1alpha1.ValkeyNode)
		want          string // "" if it is fine
	}{
		"type-changed":        {func(*v1alpha1.ValkeyNode) {}, deployment, "workloadType cannot be changed"},
		"persistence-removed": {persistent, func(n *v1alpha1.ValkeyNode) { n.Spec.Persistence = nil }, "persistence cannot be removed"},
		"persistence-added":   {func(*v1alpha1.ValkeyNode) {}, persistent, ""},
		"class-changed":       {func(n *v1alpha1.ValkeyNode) { persistent(n); class("x")(n) }, class("y"), "storageClassName cannot be changed"},
		"class-added":         {persistent, class("x"), "storageClassName cannot be changed"},
		"size-changed":        {persistent, func(n *v1alpha1.ValkeyNode) { n.Spec.Persistence.Size = resource.MustParse("2Gi") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			n := w.node(name, c.before)
			w.Create(t, n)
			before := n.DeepCopy()
			c.after(n)
			err := w.Client.Patch(t.Context(), n, client.MergeFrom(before))
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}
