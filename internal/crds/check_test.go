package crds

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/valkey-operator/valkey-operator/config"
)

func TestCompare(t *testing.T) {
	want := &metav1.ObjectMeta{Name: "valkeyclusters.valkey.io", Annotations: map[string]string{AnnotationSchema: "abc"}}
	cases := []struct {
		name  string
		found bool
		has   map[string]string
		says  string // part of the refusal; "" is none
	}{
		{name: "missing", says: "is not there"},
		{name: "another project's", found: true, has: map[string]string{"controller-gen.kubebuilder.io/version": "v0.1"}, says: "another project"},
		{name: "another version", found: true, has: map[string]string{AnnotationSchema: "abd"}, says: "another version"},
		{name: "this one", found: true, has: map[string]string{AnnotationSchema: "abc"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			err := compare(want, &metav1.ObjectMeta{Annotations: c.has}, c.found)
			switch {
			case c.says == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), want.Name)):
				t.Errorf("says %v, want %q and the name", err, c.says)
			}
		})
	}
}

// The definitions that the operator carries have their hash.
func TestCarried(t *testing.T) {
	carried, err := Read(config.CRDs, "crd/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(carried) != 2 {
		t.Errorf("%d definitions, want 2", len(carried))
	}
	for _, crd := range carried {
		if crd.Annotations[AnnotationSchema] == "" {
			t.Errorf("%s has no hash", crd.Name)
		}
	}
}
