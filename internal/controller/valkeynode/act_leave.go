package valkeynode

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/act"
	"github.com/valkey-operator/valkey-operator/internal/render/vknode"
)

// depart takes the next step of a node on its way out, and returns what it
// waits for, or "" when the node was let go.
func (r *Reconciler) depart(ctx context.Context, s *seen) (waitsFor string, err error) {
	if s.leaving() == letGo || orphaned(s) {
		return "", r.lift(ctx, s)
	}
	if s.workload != nil {
		if s.workload.going() {
			return fmt.Sprintf("waiting for workload %s to be gone", s.workload.object.GetName()), nil
		}
		return fmt.Sprintf("deleting workload %s", s.workload.object.GetName()),
			act.Delete(ctx, r.Client, s.workload.object, metav1.DeletePropagationBackground)
	}
	if s.pod != nil {
		return fmt.Sprintf("waiting for pod %s to be gone", s.pod.Name), nil
	}
	if err := r.reclaim(ctx, s); err != nil {
		return "", err
	}
	return "", r.lift(ctx, s)
}

// orphaned reports whether the node is deleted in such a way that its workload
// stays. Then so do the pod and the claim that it uses.
func orphaned(s *seen) bool {
	return slices.Contains(s.node.Finalizers, metav1.FinalizerOrphanDependents) ||
		s.workload != nil && !act.ControlledBy(s.node.UID)(s.workload.object)
}

// reclaim treats the claim of a node whose pod is gone as the policy says.
func (r *Reconciler) reclaim(ctx context.Context, s *seen) error {
	p := s.node.Spec.Persistence
	if p == nil || p.ReclaimPolicy != v1alpha1.ReclaimDelete {
		return nil
	}
	claim := &metav1.PartialObjectMetadata{}
	found, err := r.readLiveClaim(ctx, s.node, claim)
	if !found || err != nil || !vknode.Ours(claim, s.node.Name) {
		return err
	}
	return act.Delete(ctx, r.Client, claim, metav1.DeletePropagationBackground)
}

// lift ends the node. The parent's finalizer is lifted too: it is there only
// when nobody is left to do so.
func (r *Reconciler) lift(ctx context.Context, s *seen) error {
	r.Watcher.Stop(watchKey(s.node))
	return act.LiftFinalizers(ctx, r.Client, s.node, v1alpha1.FinalizerProtection, v1alpha1.FinalizerVolumeCleanup)
}
