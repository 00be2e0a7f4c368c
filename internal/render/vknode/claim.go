package vknode

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// Claim returns the claim of a node with persistence. It has no owner: the data
// outlives the node, and what becomes of it is decided when the node goes.
//
// Of a claim that exists (else nil), what cannot be changed is repeated as it
// is. What it asks for is lowered again, when that was a mistake, to just more
// than what its volume has.
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
		size = sizeFor(size, existing)
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

// sizeFor returns what a claim that exists is to ask for.
func sizeFor(wanted resource.Quantity, existing *corev1.PersistentVolumeClaim) resource.Quantity {
	asked := existing.Spec.Resources.Requests.Storage()
	if asked.Cmp(wanted) <= 0 {
		return wanted
	}
	has, known := existing.Status.Capacity[corev1.ResourceStorage]
	if !known || asked.Cmp(has) <= 0 { // there is nothing to take back
		return *asked
	}
	has.Add(*resource.NewQuantity(1, resource.BinarySI)) // the API server takes nothing less
	if has.Cmp(wanted) > 0 {
		return has
	}
	return wanted
}
