package valkeycluster

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/report"
	"github.com/valkey-operator/valkey-operator/internal/topology"
)

const reasonVouchingEnded = "VouchingEnded"

// endVouching takes a human's word for the end of silent primaries away once
// all slots are served: it was about those, and not about the next ones.
func (r *Reconciler) endVouching(ctx context.Context, cluster *v1alpha1.ValkeyCluster, pass report.Pass) error {
	_, vouched := cluster.Annotations[v1alpha1.AnnotationTakeoverUnfenced]
	if !vouched || !topology.Examine(pass.Want, pass.Seen).Unserved.IsEmpty() {
		return nil
	}
	patch := client.MergeFrom(cluster.DeepCopy())
	delete(cluster.Annotations, v1alpha1.AnnotationTakeoverUnfenced)
	if err := r.Client.Patch(ctx, cluster, patch); err != nil {
		return client.IgnoreNotFound(err)
	}
	r.Events.Eventf(cluster, nil, corev1.EventTypeNormal, reasonVouchingEnded, "Reconcile",
		"all slots are served; annotation %s is removed, so that it does not speak for later failures", v1alpha1.AnnotationTakeoverUnfenced)
	return nil
}
