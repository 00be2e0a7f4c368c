package valkeycluster

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/report"
	"github.com/valkey-operator/valkey-operator/internal/topology"
)

const (
	reasonVouchingEnded = "VouchingEnded"
	reasonLossEnded     = "AcceptingLossEnded"
)

// endVouching takes a human's word away once it has done what it was given for,
// so that it does not speak for what happens later: for the end of silent
// primaries once all slots are served, for lost keys once nothing is left to do.
func (r *Reconciler) endVouching(ctx context.Context, cluster *v1alpha1.ValkeyCluster, pass report.Pass) error {
	if !topology.Examine(pass.Want, pass.Seen).Unserved.IsEmpty() {
		return nil
	}
	if err := r.endWord(ctx, cluster, v1alpha1.AnnotationTakeoverUnfenced, reasonVouchingEnded, "all slots are served"); err != nil {
		return err
	}
	if !pass.Plan.Done() || pass.Want.Accepted.IsEmpty() {
		return nil
	}
	return r.endWord(ctx, cluster, v1alpha1.AnnotationAcceptDataLoss, reasonLossEnded, "all slots are served and nothing is left to do")
}

func (r *Reconciler) endWord(ctx context.Context, cluster *v1alpha1.ValkeyCluster, annotation, reason, why string) error {
	if _, given := cluster.Annotations[annotation]; !given {
		return nil
	}
	patch := client.MergeFrom(cluster.DeepCopy())
	delete(cluster.Annotations, annotation)
	if err := r.Client.Patch(ctx, cluster, patch); err != nil {
		return client.IgnoreNotFound(err)
	}
	r.Events.Eventf(cluster, nil, corev1.EventTypeNormal, reason, "Reconcile",
		"%s; annotation %s is removed, so that it does not speak for later failures", why, annotation)
	return nil
}
