package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// NodePersistence is the persistence of one node.
type NodePersistence struct {
	PersistenceSpec `json:",inline"`

	// mode is accepted for manifests that spell persistence out; it changes
	// nothing, because the presence of persistence is what enables it.
	//
	// +optional
	// +kubebuilder:validation:Enum=enabled
	Mode string `json:"mode,omitempty"`
}

// NodeAccess says how the operator logs in to the server of a node.
type NodeAccess struct {
	// port that the server answers on.
	//
	// +optional
	// +kubebuilder:default=6379
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port int32 `json:"port,omitempty"`

	// username of the ACL user that the operator logs in as.
	//
	// +optional
	// +kubebuilder:default=default
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Username string `json:"username,omitempty"`

	// passwordSecretRef names the Secret, and the key in it, that holds the
	// user's password.
	//
	// +optional
	PasswordSecretRef *SecretKeyReference `json:"passwordSecretRef,omitempty"`
}

// SecretKeyReference names one key of a Secret in the same namespace.
type SecretKeyReference struct {
	// name of the Secret.
	//
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// key in the Secret.
	//
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key"`
}

// ValkeyNodeSpec describes one Valkey pod, its volume and its configuration.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.persistence) && self.workloadType == 'Deployment')",message="persistence requires workloadType StatefulSet"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.persistence) || has(self.persistence)",message="persistence cannot be removed: the data is on the volume"
type ValkeyNodeSpec struct {
	// workloadType is the kind of workload that runs the pod: StatefulSet or
	// Deployment, always with one replica. It cannot be changed.
	//
	// +optional
	// +kubebuilder:default=StatefulSet
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="workloadType cannot be changed"
	WorkloadType WorkloadType `json:"workloadType,omitempty"`

	// podTemplate is the complete template of the pod, as the parent wants it.
	// The operator adds to it only the data volume, the configuration volume,
	// the label valkey.io/node, and a command when the server container sets
	// none. The server container is the one named server or valkey, or the
	// only one.
	PodTemplate corev1.PodTemplateSpec `json:"podTemplate"`

	// persistence gives the pod a volume at /data. Without it the data lives
	// and dies with the pod.
	//
	// +optional
	// +kubebuilder:validation:XValidation:rule="(!has(self.storageClassName) && !has(oldSelf.storageClassName)) || (has(self.storageClassName) && has(oldSelf.storageClassName) && self.storageClassName == oldSelf.storageClassName)",message="storageClassName cannot be changed: a claim keeps the class it was made with"
	Persistence *NodePersistence `json:"persistence,omitempty"`

	// config holds Valkey directives, as in valkey.conf, by name. Values are
	// strings or integers.
	//
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	// +kubebuilder:validation:XValidation:rule="self.all(k, k.matches('^[a-z][a-z0-9-]*$'))",message="the names of directives consist of lower-case letters, digits and dashes"
	Config map[string]intstr.IntOrString `json:"config,omitempty"`

	// access says how the operator logs in to the server. Without it the
	// operator uses port 6379, no TLS, and the default user without password.
	//
	// +optional
	Access *NodeAccess `json:"access,omitempty"`

	// aclSecretName names a Secret whose key users.acl is mounted into the pod
	// and loaded as the server's ACL file.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	ACLSecretName string `json:"aclSecretName,omitempty"`

	// serviceName names the headless Service that gives the pod its DNS name.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	ServiceName string `json:"serviceName,omitempty"`
}

// NodeRole is the replication role that a server reports of itself.
//
// +kubebuilder:validation:Enum=primary;replica
type NodeRole string

const (
	// RolePrimary accepts writes.
	RolePrimary NodeRole = "primary"
	// RoleReplica copies a primary.
	RoleReplica NodeRole = "replica"
)

// LastServer identifies one server of the cluster bus.
type LastServer struct {
	// nodeID is the server's ID in the cluster bus.
	//
	// +optional
	NodeID string `json:"nodeID,omitempty"`

	// podUID is the UID of the pod that the server ran in.
	//
	// +optional
	PodUID types.UID `json:"podUID,omitempty"`

	// machine is the Kubernetes node that the pod ran on.
	//
	// +optional
	Machine string `json:"machine,omitempty"`
}

// ValkeyNodeStatus is what is observed of one Valkey pod.
type ValkeyNodeStatus struct {
	// ready is true when the pod is ready and its server answers. Being in
	// sync with a primary is not part of it.
	//
	// +optional
	Ready bool `json:"ready,omitempty"`

	// podName is the name of the pod.
	//
	// +optional
	PodName string `json:"podName,omitempty"`

	// podIP is the address of the pod.
	//
	// +optional
	PodIP string `json:"podIP,omitempty"`

	// pvcName is the name of the claim that holds the node's data.
	//
	// +optional
	PVCName string `json:"pvcName,omitempty"`

	// observedRole is the role that the server itself reports: primary or
	// replica.
	//
	// +optional
	ObservedRole NodeRole `json:"observedRole,omitempty"`

	// observedReplicaOf is the name of the ValkeyNode whose server this one
	// replicates.
	//
	// +optional
	ObservedReplicaOf string `json:"observedReplicaOf,omitempty"`

	// lastServer is the server that answered last. It stays when its pod is
	// gone: it tells which machine a lost server ran on.
	//
	// +optional
	LastServer *LastServer `json:"lastServer,omitempty"`

	// observedGeneration is the generation of the spec that this status is
	// about.
	//
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions of the node: Ready, Progressing, ResourcesReady,
	// PersistentVolumeClaimReady, PersistentVolumeClaimSizeReady,
	// ConfigApplied.
	//
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// ValkeyNode is one Valkey pod, its volume, its configuration, and what is
// observed about it. It is made by parents such as ValkeyCluster; it decides
// no role and runs no topology command.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=vkn,categories=valkey
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Role",type=string,JSONPath=`.status.observedRole`
// +kubebuilder:printcolumn:name="Pod-IP",type=string,JSONPath=`.status.podIP`
// +kubebuilder:printcolumn:name="Replica-Of",type=string,JSONPath=`.status.observedReplicaOf`
// +kubebuilder:printcolumn:name="Workload",type=string,JSONPath=`.spec.workloadType`,priority=1
// +kubebuilder:printcolumn:name="Pod-Name",type=string,JSONPath=`.status.podName`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 45 && self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="the name of a ValkeyNode has at most 45 characters and consists of lower-case letters, digits and dashes, because the names of its workload and pod, and labels of the pod, are made from it"
type ValkeyNode struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the pod that the parent wants.
	Spec ValkeyNodeSpec `json:"spec"`

	// status is what is observed of the pod.
	//
	// +optional
	Status ValkeyNodeStatus `json:"status,omitempty"`
}

// ValkeyNodeList is a list of ValkeyNodes.
//
// +kubebuilder:object:root=true
type ValkeyNodeList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ValkeyNode `json:"items"`
}
