package act

import (
	"errors"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// NamespaceEnds reports whether a write failed because its namespace is being
// deleted or is gone already, while caches still show what was in it. That is no
// trouble of anybody.
func NamespaceEnds(err error) bool {
	if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		return true
	}
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || !apierrors.IsNotFound(status) {
		return false
	}
	details := status.ErrStatus.Details
	return details != nil && details.Kind == "namespaces"
}
