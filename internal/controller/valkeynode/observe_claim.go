package valkeynode

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/valkey-operator/valkey-operator/internal/render/vknode"
)

// class is what there is of a storage class.
type class struct {
	name string
	// missing is true when the API server says that there is no such class.
	missing bool
	// waitsForPod is true when volumes of the class are made for a pod that was
	// scheduled, and not before.
	waitsForPod bool
}

func (r *Reconciler) readClaim(ctx context.Context, s *seen) error {
	if s.node.Spec.Persistence == nil {
		return nil
	}
	c := &corev1.PersistentVolumeClaim{}
	found, err := r.read(ctx, s.node, vknode.ClaimName(s.node), c)
	if !found || err != nil || !vknode.Ours(c, s.node.Name) {
		return err
	}
	s.claim = c
	if c.Status.Phase == corev1.ClaimBound || c.Spec.StorageClassName == nil {
		return nil
	}
	s.class, err = r.storageClass(ctx, *c.Spec.StorageClassName)
	return err
}

// storageClass asks the API server: classes are needed only while a claim waits
// for its volume, so no cache is kept of them. An operator that may not read
// them does without.
func (r *Reconciler) storageClass(ctx context.Context, name string) (class, error) {
	found := class{name: name}
	if name == "" { // a claim for a volume that somebody made by hand
		return found, nil
	}
	var live storagev1.StorageClass
	err := r.Live.Get(ctx, types.NamespacedName{Name: name}, &live)
	switch {
	case apierrors.IsNotFound(err):
		found.missing = true
		return found, nil
	case apierrors.IsForbidden(err):
		return found, nil
	}
	found.waitsForPod = live.VolumeBindingMode != nil && *live.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer
	return found, err
}
