package valkeynode

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// readDeparture asks, for a node that is being deleted, what there is of its
// parent and its namespace. The API server is asked and not the cache: an
// answer that is a moment old could let a node go that its parent still needs.
func (r *Reconciler) readDeparture(ctx context.Context, s *seen) error {
	if s.node.DeletionTimestamp == nil {
		return nil
	}
	var err error
	if s.parent, err = r.parentOf(ctx, s.node); err != nil {
		return err
	}
	s.namespaceGoes, err = r.namespaceGoes(ctx, s.node.Namespace)
	return err
}

func (r *Reconciler) parentOf(ctx context.Context, n *v1alpha1.ValkeyNode) (parent, error) {
	owner := metav1.GetControllerOf(n)
	if owner == nil {
		return noParent, nil
	}
	live := &metav1.PartialObjectMetadata{}
	live.SetGroupVersionKind(schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind))
	err := r.Live.Get(ctx, types.NamespacedName{Namespace: n.Namespace, Name: owner.Name}, live)
	switch {
	case apierrors.IsNotFound(err), meta.IsNoMatchError(err):
		return parentGoes, nil
	case apierrors.IsForbidden(err):
		return parentUnknown, nil
	case err != nil:
		return parentUnknown, err
	case live.UID != owner.UID, live.DeletionTimestamp != nil:
		return parentGoes, nil
	}
	return parentStays, nil
}

// namespaceGoes reports whether the namespace is being deleted. An operator
// that may not read namespaces takes the longer way, which also ends.
func (r *Reconciler) namespaceGoes(ctx context.Context, name string) (bool, error) {
	var live corev1.Namespace
	err := r.Live.Get(ctx, types.NamespacedName{Name: name}, &live)
	if apierrors.IsForbidden(err) || apierrors.IsNotFound(err) {
		return false, nil
	}
	return live.DeletionTimestamp != nil, err
}
