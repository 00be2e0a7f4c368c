package podtest

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Uncordon lets new pods onto a machine again. Others change machines too, so it
// insists on what it read, and reads again.
func (k Kube) Uncordon(ctx context.Context, machine string) error {
	return Until(ctx, time.Minute, 0, "letting pods onto "+machine, func() error {
		m := &corev1.Node{}
		if err := k.Get(ctx, client.ObjectKey{Name: machine}, m); err != nil {
			return err
		}
		patch := client.MergeFromWithOptions(m.DeepCopy(), client.MergeFromWithOptimisticLock{})
		m.Spec.Unschedulable = false
		return k.Patch(ctx, m, patch)
	})
}
