package crds

import (
	"encoding/json"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/valkey-operator/valkey-operator/config"
)

// carried returns the definition of ValkeyCluster that the operator carries.
func carried(t *testing.T) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	all, err := Read(config.CRDs, "crd/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return &all[0]
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		name   string
		served func(*apiextensionsv1.CustomResourceDefinition)
		says   string // part of the refusal; "" is none
	}{
		{"this one", func(*apiextensionsv1.CustomResourceDefinition) {}, ""},
		{"another project's", func(crd *apiextensionsv1.CustomResourceDefinition) {
			delete(crd.Annotations, AnnotationSchema)
		}, "another project"},
		{"another version", func(crd *apiextensionsv1.CustomResourceDefinition) {
			crd.Annotations[AnnotationSchema] = "0123456789abcdef"
		}, "another version"},
		{"changed behind our back", func(crd *apiextensionsv1.CustomResourceDefinition) {
			delete(crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties, "shards")
		}, "was changed"},
		{"other columns", func(crd *apiextensionsv1.CustomResourceDefinition) {
			crd.Spec.Versions[0].AdditionalPrinterColumns = nil
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			want, served := carried(t), carried(t)
			c.served(served)
			err := compare(want, served)
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
		hash, err := Hash(&crd)
		if err != nil || hash != crd.Annotations[AnnotationSchema] {
			t.Errorf("%s says its hash is %q, it is %q (%v)", crd.Name, crd.Annotations[AnnotationSchema], hash, err)
		}
	}
}

// kubectl apply keeps the whole object in one annotation, and all annotations
// together have a limit.
func TestPlainApplyWorks(t *testing.T) {
	const limit = 256 << 10
	all, err := Read(config.CRDs, "crd/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, crd := range all {
		encoded, err := json.Marshal(crd)
		if err != nil {
			t.Fatal(err)
		}
		if len(encoded) > limit*9/10 {
			t.Errorf("%s has %d bytes; kubectl apply takes %d", crd.Name, len(encoded), limit)
		}
	}
}
