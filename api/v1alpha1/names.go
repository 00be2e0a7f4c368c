package v1alpha1

// Labels of the objects that the operator makes.
const (
	// LabelNode is the only label in the selector of a node's workload.
	LabelNode = "valkey.io/node"
	// LabelCluster names the ValkeyCluster that an object belongs to.
	LabelCluster = "valkey.io/cluster"
	// LabelShardIndex is the index of the shard that a node was made for.
	LabelShardIndex = "valkey.io/shard-index"
	// LabelNodeIndex is the index of a node in its shard. No index is assumed
	// to be the primary.
	LabelNodeIndex = "valkey.io/node-index"

	// LabelName and its companions are the labels that Kubernetes recommends.
	LabelName      = "app.kubernetes.io/name"
	LabelInstance  = "app.kubernetes.io/instance"
	LabelComponent = "app.kubernetes.io/component"
	LabelPartOf    = "app.kubernetes.io/part-of"
	LabelManagedBy = "app.kubernetes.io/managed-by"
)

// Annotations that steer the operator.
const (
	// AnnotationRollIf guards a pod template: the pod is replaced only while
	// its UID and role are still the ones named here, as <pod UID>/<role>.
	AnnotationRollIf = "valkey.io/roll-if"
	// AnnotationInputsHash, in a pod template, is the hash of the user's
	// inputs that the template was rendered from. Equal hash, no restart.
	AnnotationInputsHash = "valkey.io/inputs-hash"
	// AnnotationRestartedAt, set by a user on a ValkeyCluster, asks for a safe
	// restart of every pod each time that its value changes.
	AnnotationRestartedAt = "valkey.io/restartedAt"
	// AnnotationTakeoverUnfenced, set to "true" by a human on a ValkeyCluster,
	// vouches that the primaries that do not answer are dead, so that replicas
	// may take over without a vote. It is removed when all slots are served.
	AnnotationTakeoverUnfenced = "valkey.io/takeover-unfenced"
	// AnnotationAcceptDataLoss, set by a human on a ValkeyCluster to slots such
	// as "0-5460 10000", gives up the keys of these slots: where no copy is
	// left, they are served again, empty, and a node with the only copy is
	// replaced. It is removed once nothing is left to do.
	AnnotationAcceptDataLoss = "valkey.io/accept-data-loss"
)

// Finalizers of a ValkeyNode.
const (
	// FinalizerProtection is lifted by the parent once the node holds no slots
	// and is no shard's last copy, or when the parent itself is deleted.
	FinalizerProtection = "valkey.io/pvc-protection"
	// FinalizerVolumeCleanup is lifted by the node controller once the pod is
	// gone and the claim was treated as its reclaim policy says.
	FinalizerVolumeCleanup = "valkey.io/persistent-volume-cleanup"
)

// ServerContainer is the name of the Valkey container in pods that the
// operator renders. ServerContainerAlias is recognised too.
const (
	ServerContainer      = "server"
	ServerContainerAlias = "valkey"
)

// Ports of a Valkey pod.
const (
	PortClient  = 6379
	PortBus     = 16379
	PortMetrics = 9121
)

// Environment variables of the server container.
const (
	// EnvSuccession names a script. While the start of a primary that was killed
	// is held back, the script is run each second with the numbers of seconds for
	// which it is held so far and that are left, and with "ended" if the server is
	// known to have ended. Its success ends the wait.
	EnvSuccession = "VALKEY_SUCCESSION"
	// EnvPodUID is the UID of the pod. A container that finds the trace of a
	// server in its own pod knows that this server has ended.
	EnvPodUID = "VALKEY_POD_UID"
	// EnvStopFailover, if it is set, has a primary that is told to stop hand its
	// slots over to a replica, where its version can do that.
	EnvStopFailover = "VALKEY_STOP_FAILOVER"
)

// ACLFileKey is the key of a node's ACL Secret that holds the ACL file.
const ACLFileKey = "users.acl"
