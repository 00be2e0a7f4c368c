package valkeynode

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

func TestLeaving(t *testing.T) {
	both := []string{v1alpha1.FinalizerProtection, v1alpha1.FinalizerVolumeCleanup}
	ours := []string{v1alpha1.FinalizerVolumeCleanup}
	for name, c := range map[string]struct {
		deleted       bool
		finalizers    []string
		parent        parent
		namespaceGoes bool
		want          leave
	}{
		"not deleted":                         {false, both, parentGoes, true, stay},
		"no parent":                           {true, both, noParent, false, decommission},
		"parent stays and protects":           {true, both, parentStays, false, stay},
		"parent stays and let go":             {true, ours, parentStays, false, decommission},
		"parent goes":                         {true, both, parentGoes, false, decommission},
		"unknown is not absent (N3)":          {true, both, parentUnknown, false, stay},
		"unknown, but let go already":         {true, ours, parentUnknown, false, decommission},
		"namespace goes, whatever the parent": {true, both, parentStays, true, letGo},
	} {
		t.Run(name, func(t *testing.T) {
			n := &v1alpha1.ValkeyNode{ObjectMeta: metav1.ObjectMeta{Finalizers: c.finalizers}}
			if c.deleted {
				n.DeletionTimestamp = &metav1.Time{}
			}
			if got := leaving(n, c.parent, c.namespaceGoes); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
