package vknode

import (
	corev1 "k8s.io/api/core/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// Claim returns the claim of a node with persistence. It has no owner: the data
// outlives the node, and what becomes of it is decided when the node goes.
//
// Of a claim that exists (else nil), what cannot be changed is repeated as it
// is, and its size is never lowered.
func Claim(n *v1alpha1.ValkeyNode, existing *corev1.PersistentVolumeClaim) *coreac.PersistentVolumeClaimApplyConfiguration {
	return coreac.PersistentVolumeClaim(ClaimName(n), n.Namespace).
		WithLabels(labels(n)).
		WithSpec(claimSpec(n.Spec.Persistence, existing))
}

func claimSpec(p *v1alpha1.NodePersistence, existing *corev1.PersistentVolumeClaim) *coreac.PersistentVolumeClaimSpecApplyConfiguration {
	modes := []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	mode := corev1.PersistentVolumeFilesystem
	class := p.StorageClassName
	size := p.Size
	if existing != nil {
		modes = existing.Spec.AccessModes
		class = existing.Spec.StorageClassName
		if existing.Spec.VolumeMode != nil {
			mode = *existing.Spec.VolumeMode
		}
		if asked := existing.Spec.Resources.Requests.Storage(); asked.Cmp(size) > 0 {
			size = *asked
		}
	}
	out := coreac.PersistentVolumeClaimSpec().
		WithAccessModes(modes...).
		WithVolumeMode(mode).
		WithResources(coreac.VolumeResourceRequirements().
			WithRequests(corev1.ResourceList{corev1.ResourceStorage: size}))
	if class != nil {
		out.WithStorageClassName(*class)
	}
	return out
}
