package act

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/internal/apitest"
)

func newConfigMap(t *testing.T, api *apitest.API, namespace string, finalizers ...string) *corev1.ConfigMap {
	t.Helper()
	c := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "x", Finalizers: finalizers}}
	api.Create(t, c)
	return c
}

func TestDeleteIsAboutOneObject(t *testing.T) {
	api := apitest.Start(t)
	namespace := api.Namespace(t)
	first := newConfigMap(t, api, namespace)
	for range 2 { // the second time it is gone
		if err := Delete(t.Context(), api.Client, first, metav1.DeletePropagationBackground); err != nil {
			t.Fatal(err)
		}
	}
	second := newConfigMap(t, api, namespace)
	if err := Delete(t.Context(), api.Client, first, metav1.DeletePropagationBackground); err != nil {
		t.Fatal(err)
	}
	if err := api.Client.Get(t.Context(), client.ObjectKeyFromObject(second), second); err != nil {
		t.Errorf("the object that was made since: %v", err)
	}
}

func TestFinalizers(t *testing.T) {
	api := apitest.Start(t)
	o := newConfigMap(t, api, api.Namespace(t), "example.com/theirs")
	stale := o.DeepCopy()
	for range 2 {
		if err := AddFinalizer(t.Context(), api.Client, o, "valkey.io/a"); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"example.com/theirs", "valkey.io/a"}; !slices.Equal(o.Finalizers, want) {
		t.Errorf("finalizers %v", o.Finalizers)
	}
	if err := AddFinalizer(t.Context(), api.Client, stale, "valkey.io/b"); !apierrors.IsConflict(err) {
		t.Errorf("a write over what somebody else wrote: %v", err)
	}
	for range 2 {
		if err := LiftFinalizers(t.Context(), api.Client, o, "valkey.io/a", "valkey.io/b"); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"example.com/theirs"}; !slices.Equal(o.Finalizers, want) {
		t.Errorf("finalizers %v", o.Finalizers)
	}
	gone := o.DeepCopy()
	if err := LiftFinalizers(t.Context(), api.Client, o, "example.com/theirs"); err != nil {
		t.Fatal(err)
	}
	if err := api.Client.Delete(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if err := LiftFinalizers(t.Context(), api.Client, gone, "example.com/theirs"); err != nil {
		t.Errorf("of an object that is gone: %v", err)
	}
}
