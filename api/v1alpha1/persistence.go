package v1alpha1

import "k8s.io/apimachinery/pkg/api/resource"

// ReclaimPolicy says what becomes of a claim once its node has been
// decommissioned.
//
// +kubebuilder:validation:Enum=Retain;Delete
type ReclaimPolicy string

const (
	// ReclaimRetain keeps the claim; a node of the same name takes it back.
	ReclaimRetain ReclaimPolicy = "Retain"
	// ReclaimDelete removes the claim with its node.
	ReclaimDelete ReclaimPolicy = "Delete"
)

// PersistenceSpec asks for a volume. Its presence is what enables persistence.
type PersistenceSpec struct {
	// size of the volume of each pod, for example 10Gi.
	//
	// +kubebuilder:validation:XValidation:rule="!isQuantity(string(self)) || quantity(string(self)).isGreaterThan(quantity('0'))",message="size must be more than 0, for example 10Gi"
	Size resource.Quantity `json:"size"`

	// storageClassName is the class of the volume. The default class of the
	// Kubernetes cluster is used when this is not set. It cannot be changed.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$')",message="storageClassName is the name of a StorageClass: lower-case letters, digits, dots and dashes"
	StorageClassName *string `json:"storageClassName,omitempty"`

	// reclaimPolicy says what happens to a volume's claim after its node has
	// been decommissioned: Retain, as when it is not set, keeps it, so that a
	// node of the same name takes its data back; Delete removes it.
	//
	// +optional
	// +kubebuilder:default=Retain
	ReclaimPolicy ReclaimPolicy `json:"reclaimPolicy,omitempty"`
}
