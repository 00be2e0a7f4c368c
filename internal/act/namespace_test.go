package act

import (
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestNamespaceEnds(t *testing.T) {
	terminating := apierrors.NewForbidden(corev1.Resource("configmaps"), "x", errors.New("namespace is being terminated"))
	terminating.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"none":                {nil, false},
		"being deleted":       {fmt.Errorf("applying: %w", terminating), true},
		"gone":                {fmt.Errorf("applying: %w", apierrors.NewNotFound(corev1.Resource("namespaces"), "ns")), true},
		"another object gone": {apierrors.NewNotFound(corev1.Resource("secrets"), "namespaces"), false},
		"another refusal":     {apierrors.NewForbidden(corev1.Resource("namespaces"), "ns", errors.New("no right")), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := NamespaceEnds(c.err); got != c.want {
				t.Errorf("%t for %v", got, c.err)
			}
		})
	}
}
