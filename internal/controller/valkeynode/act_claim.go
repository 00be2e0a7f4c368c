package valkeynode

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/act"
	"github.com/valkey-operator/valkey-operator/internal/render/vknode"
)

// claimProblem is why the node has no claim that its pod may use, or none of
// the wanted size. No pass can do anything about it.
type claimProblem struct {
	reason  string
	message string
}

func (e *claimProblem) Error() string { return e.message }

func isClaimProblem(err error) bool {
	var p *claimProblem
	return errors.As(err, &p)
}

// applyClaim makes the node's claim, or takes over the one that the node left
// behind earlier.
func (r *Reconciler) applyClaim(ctx context.Context, s *seen) error {
	if s.node.Spec.Persistence == nil {
		return nil
	}
	if s.claim != nil && s.claim.DeletionTimestamp != nil {
		return claimTerminating(s.claim.Name)
	}
	ours := func(o metav1.Object) bool { return vknode.Ours(o, s.node.Name) }
	err := r.apply(ctx, s, vknode.Claim(s.node, s.claim), ours)
	var conflict *act.NameConflict
	switch {
	case errors.As(err, &conflict):
		return claimConflict(conflict.Name)
	case s.claim != nil && (apierrors.IsForbidden(err) || apierrors.IsInvalid(err)):
		return &claimProblem{reason: v1alpha1.ReasonResizeRefused, message: err.Error()}
	}
	return err
}

// claimIsUsable asks the API server, before the first pod, whether the claim is
// the node's and stays: the cache may not know yet that it is being deleted.
func (r *Reconciler) claimIsUsable(ctx context.Context, s *seen) error {
	if s.node.Spec.Persistence == nil {
		return nil
	}
	name := vknode.ClaimName(s.node)
	live := &metav1.PartialObjectMetadata{}
	found, err := r.readLiveClaim(ctx, s.node, live)
	switch {
	case err != nil:
		return err
	case !found:
		return fmt.Errorf("claim %s is gone again", name)
	case live.DeletionTimestamp != nil:
		return claimTerminating(name)
	case !vknode.Ours(live, s.node.Name):
		return claimConflict(name)
	}
	return nil
}

// readLiveClaim reads the metadata of the node's claim from the API server.
func (r *Reconciler) readLiveClaim(ctx context.Context, n *v1alpha1.ValkeyNode, into *metav1.PartialObjectMetadata) (bool, error) {
	into.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"))
	err := r.Live.Get(ctx, types.NamespacedName{Namespace: n.Namespace, Name: vknode.ClaimName(n)}, into)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

func claimTerminating(name string) error {
	return &claimProblem{v1alpha1.ReasonClaimTerminating, fmt.Sprintf(
		"claim %s is being deleted; it is not used again, and a new one is made when it is gone", name)}
}

func claimConflict(name string) error {
	return &claimProblem{v1alpha1.ReasonClaimConflict, fmt.Sprintf(
		"claim %s exists and does not belong to this node; it is not touched. Delete it, or give it the labels of the node's claim if its data is the node's", name)}
}
