package vkcluster

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

func TestFinalizersOfALivingNodeAreRestored(t *testing.T) {
	c := persistent()
	live := &v1alpha1.ValkeyNode{}
	got := Node(c, c.Nodes()[0], live).Finalizers
	if want := []string{v1alpha1.FinalizerProtection, v1alpha1.FinalizerVolumeCleanup}; !slices.Equal(got, want) {
		t.Errorf("finalizers %v, want %v", got, want)
	}
}

// The API server takes no new finalizers of an object that is being deleted,
// and applying fewer than there are would lift the others.
func TestFinalizersOfADeletedNodeAreLeftAlone(t *testing.T) {
	c := persistent()
	now := metav1.Now()
	live := &v1alpha1.ValkeyNode{ObjectMeta: metav1.ObjectMeta{
		DeletionTimestamp: &now,
		Finalizers:        []string{v1alpha1.FinalizerVolumeCleanup},
	}}
	if got := Node(c, c.Nodes()[0], live).Finalizers; !slices.Equal(got, live.Finalizers) {
		t.Errorf("finalizers %v, want %v", got, live.Finalizers)
	}
}

// A node gets its first volume together with the restart that mounts it.
func TestFirstVolumeIsStaged(t *testing.T) {
	c := persistent()
	n := c.Nodes()[0]
	if got := Node(c, n, &v1alpha1.ValkeyNode{}).Spec.Persistence; got != nil {
		t.Errorf("the standing part adds a volume: %+v", got)
	}
	if got := NodeTemplate(c, n, "").Spec.Persistence; got == nil {
		t.Error("the staged part adds no volume")
	}
}

func TestVolumeGrowsWithoutRestart(t *testing.T) {
	c := persistent()
	live := &v1alpha1.ValkeyNode{Spec: v1alpha1.ValkeyNodeSpec{Persistence: &v1alpha1.NodePersistence{}}}
	if got := Node(c, c.Nodes()[0], live).Spec.Persistence; got == nil || got.Size.String() != "10Gi" {
		t.Errorf("the standing part does not size the volume: %+v", got)
	}
}

func TestGuard(t *testing.T) {
	c := persistent()
	n := c.Nodes()[0]
	annotations := func(guard string) map[string]string {
		return NodeTemplate(c, n, guard).Spec.PodTemplate.Annotations
	}
	if got := annotations(RollIf("uid-1", v1alpha1.RolePrimary))[v1alpha1.AnnotationRollIf]; got != "uid-1/primary" {
		t.Errorf("guard %q", got)
	}
	if guard, found := annotations("")[v1alpha1.AnnotationRollIf]; found {
		t.Errorf("a guard %q that nobody asked for", guard)
	}
}

// The template of a new node is the one of the next roll, or every cluster
// would be restarted once.
func TestNewNodeIsUpToDate(t *testing.T) {
	c := persistent()
	n := c.Nodes()[0]
	created, staged := NewNode(c, n).Spec, NodeTemplate(c, n, "").Spec
	if diff := cmp.Diff(created.PodTemplate, staged.PodTemplate); diff != "" {
		t.Errorf("templates differ (-new +next roll):\n%s", diff)
	}
	if diff := cmp.Diff(created.Persistence, staged.Persistence); diff != "" {
		t.Errorf("volumes differ (-new +next roll):\n%s", diff)
	}
}

// Every script that the server container names is there.
func TestScriptsAreMounted(t *testing.T) {
	there := map[string]bool{}
	for _, f := range scriptFiles() {
		there[scriptsDir+"/"+f.Path] = true
	}
	s := server(persistent())
	named := []string{s.ReadinessProbe.Exec.Command[1], s.LivenessProbe.Exec.Command[1], s.Lifecycle.PreStop.Exec.Command[1]}
	for _, v := range s.Env {
		if v.Name == v1alpha1.EnvSuccession {
			named = append(named, v.Value)
		}
	}
	if len(named) != 4 {
		t.Errorf("the container names %q", named)
	}
	for _, path := range named {
		if !there[path] {
			t.Errorf("%s is not mounted", path)
		}
	}
}
