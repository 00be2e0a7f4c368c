package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ValkeyClusterSpec describes a Valkey cluster: shards, their replicas, and
// the pods that run them.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.persistence) && self.workloadType == 'Deployment')",message="persistence requires workloadType StatefulSet, which an existing cluster of Deployments cannot change to: make a new cluster with volumes and copy the data into it"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.persistence) || has(self.persistence)",message="persistence cannot be removed: the data is on the volumes"
type ValkeyClusterSpec struct {
	// shards is the number of shards, from 1 to 500. Each shard owns an equal
	// part of the 16384 hash slots and has one primary. It cannot be changed yet.
	//
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="shards cannot be changed: this version of the operator does not scale an existing cluster"
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=500
	Shards int32 `json:"shards"`

	// replicas is the number of replicas that each shard has beside its
	// primary, from 0 to 20; 0 when it is not set. It cannot be changed yet.
	//
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=20
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="replicas cannot be changed: this version of the operator does not scale an existing cluster"
	Replicas int32 `json:"replicas,omitempty"`

	// image is the Valkey image of every pod. Without it the operator's own
	// default, a 9.1 release, is used.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9][-._:/@a-zA-Z0-9]*$')",message="image is the name of a container image, such as valkey/valkey:9.1"
	Image string `json:"image,omitempty"`

	// workloadType is the kind of workload that runs each pod: StatefulSet, which
	// it is when it is not set, or Deployment, which allows no persistence. It
	// cannot be changed.
	//
	// +optional
	// +kubebuilder:default=StatefulSet
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="workloadType cannot be changed"
	WorkloadType WorkloadType `json:"workloadType,omitempty"`

	// persistence gives every pod a volume. Without it the data lives in
	// memory and in the replicas only. It may be added later, which replaces the
	// pods one after the other, and cannot be removed.
	//
	// +optional
	// +kubebuilder:validation:XValidation:rule="(!has(self.storageClassName) && !has(oldSelf.storageClassName)) || (has(self.storageClassName) && has(oldSelf.storageClassName) && self.storageClassName == oldSelf.storageClassName)",message="storageClassName cannot be changed: a claim keeps the class it was made with"
	Persistence *PersistenceSpec `json:"persistence,omitempty"`

	// resources of the Valkey container of every pod.
	//
	// +optional
	Resources corev1.ResourceRequirements `json:"resources,omitempty"`
}

// ClusterState is the one-word summary of a cluster.
//
// +kubebuilder:validation:Enum=Initializing;Reconciling;Ready;Degraded;Failed
type ClusterState string

const (
	// StateInitializing means that the cluster has never been Ready yet.
	StateInitializing ClusterState = "Initializing"
	// StateReconciling means that all slots are served with full redundancy
	// and the spec is not fully applied.
	StateReconciling ClusterState = "Reconciling"
	// StateReady means that all slots are served with full redundancy, the
	// spec is applied, and both were observed now.
	StateReady ClusterState = "Ready"
	// StateDegraded means that slots are unserved or redundancy is lost.
	StateDegraded ClusterState = "Degraded"
	// StateFailed means that a human must act; the message says what to do.
	StateFailed ClusterState = "Failed"
)

// ReplicaStatus is one replica of a shard.
type ReplicaStatus struct {
	// name of the replica's ValkeyNode.
	//
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// inSync is true when the replica's link to its primary is up and it has
	// finished its first synchronisation.
	InSync bool `json:"inSync"`
}

// ShardStatus is one shard.
type ShardStatus struct {
	// index of the shard, from 0.
	Index int32 `json:"index"`

	// primary is the name of the ValkeyNode whose server is the shard's
	// primary.
	//
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Primary string `json:"primary,omitempty"`

	// replicas of the shard.
	//
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=32
	Replicas []ReplicaStatus `json:"replicas,omitempty"`

	// slots that the shard owns, as ranges such as 0-5460; after 16 ranges a
	// last entry such as +3 counts the rest.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=17
	// +kubebuilder:validation:items:MaxLength=16
	Slots []string `json:"slots,omitempty"`
}

// ValkeyClusterStatus is what is observed of a cluster.
type ValkeyClusterStatus struct {
	// state summarises the cluster in one word: Initializing, Reconciling,
	// Ready, Degraded, or Failed.
	//
	// +optional
	State ClusterState `json:"state,omitempty"`

	// reason is the cause of the state in one word.
	//
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Reason string `json:"reason,omitempty"`

	// message explains the state in a sentence.
	//
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	Message string `json:"message,omitempty"`

	// shards is the number of shards that own slots.
	//
	// +optional
	Shards int32 `json:"shards,omitempty"`

	// readyShards is the number of shards whose slots are served and whose
	// replicas are all in sync.
	//
	// +optional
	ReadyShards int32 `json:"readyShards,omitempty"`

	// ready is readyShards and the wanted number of shards, for printing.
	//
	// +optional
	// +kubebuilder:validation:MaxLength=16
	Ready string `json:"ready,omitempty"`

	// observedGeneration is the generation of the spec that this status is
	// about.
	//
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// shardStatuses has an entry for each shard.
	//
	// +optional
	// +listType=map
	// +listMapKey=index
	// +kubebuilder:validation:MaxItems=1000
	ShardStatuses []ShardStatus `json:"shardStatuses,omitempty"`

	// conditions of the cluster: Ready, Progressing, Degraded, ClusterFormed,
	// SlotsAssigned.
	//
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// ValkeyCluster is a Valkey cluster: shards of one primary and its replicas,
// which together serve all 16384 hash slots.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=vkc,categories=valkey
// +kubebuilder:printcolumn:name="State",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.reason`
// +kubebuilder:printcolumn:name="Shards",type=integer,JSONPath=`.spec.shards`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.ready`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 38 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="the name of a ValkeyCluster has at most 38 characters, starts with a letter, and consists of lower-case letters, digits and dashes, because the names of its pods and Services are made from it"
type ValkeyCluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the cluster that is wanted.
	Spec ValkeyClusterSpec `json:"spec"`

	// status is what is observed of the cluster.
	//
	// +optional
	Status ValkeyClusterStatus `json:"status,omitempty"`
}

// ValkeyClusterList is a list of ValkeyClusters.
//
// +kubebuilder:object:root=true
type ValkeyClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ValkeyCluster `json:"items"`
}
