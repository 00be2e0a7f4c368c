package crds

import (
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/config"
	"github.com/valkey-operator/valkey-operator/internal/apitest"
)

func TestMain(m *testing.M) { apitest.Main(m) }

// An API server serves the definitions with the hash that the files have, and
// another project that takes one of them over without a word is noticed.
func TestServedDefinitions(t *testing.T) {
	api := apitest.Start(t)
	scheme := runtime.NewScheme()
	if err := apiextensionsv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	live, err := client.New(api.Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	wanted, err := Read(config.CRDs, "crd/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(t.Context(), live, wanted); err != nil {
		t.Fatalf("refused what was installed from the files: %v", err)
	}

	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := live.Get(t.Context(), client.ObjectKeyFromObject(&wanted[0]), crd); err != nil {
		t.Fatal(err)
	}
	delete(crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["status"].Properties, "shards")
	if err := live.Update(t.Context(), crd); err != nil {
		t.Fatal(err)
	}
	if err := Check(t.Context(), live, wanted); err == nil || !strings.Contains(err.Error(), "was changed") {
		t.Errorf("says %v of a definition that was changed", err)
	}

	if err := live.Delete(t.Context(), crd); err != nil {
		t.Fatal(err)
	}
	// It goes once the API server has looked for resources of its kind.
	for {
		err := Check(t.Context(), live, wanted)
		if err != nil && strings.Contains(err.Error(), "is not there") {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}
