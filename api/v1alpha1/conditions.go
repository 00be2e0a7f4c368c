package v1alpha1

// Condition types of a ValkeyNode.
const (
	// ConditionReady: the pod is ready and its server answers. On a cluster:
	// all slots are served, redundancy is full, the spec is applied.
	ConditionReady = "Ready"
	// ConditionProgressing: something wanted is not there yet and is being
	// worked on.
	ConditionProgressing = "Progressing"
	// ConditionResourcesReady: the ConfigMap and the workload exist as wanted.
	ConditionResourcesReady = "ResourcesReady"
	// ConditionClaimReady: the claim exists, is the node's own, and is bound
	// or waits for its pod only.
	ConditionClaimReady = "PersistentVolumeClaimReady"
	// ConditionClaimSizeReady: the volume is as large as the spec says.
	ConditionClaimSizeReady = "PersistentVolumeClaimSizeReady"
	// ConditionConfigApplied: the running server has every wanted directive.
	ConditionConfigApplied = "ConfigApplied"
	// ConditionACLApplied: the running server has the wanted ACL.
	ConditionACLApplied = "ACLApplied"
)

// Condition types of a ValkeyCluster, beside Ready and Progressing.
const (
	// ConditionDegraded: slots are unserved or redundancy is lost.
	ConditionDegraded = "Degraded"
	// ConditionClusterFormed: every node of the spec is a member of one
	// cluster.
	ConditionClusterFormed = "ClusterFormed"
	// ConditionSlotsAssigned: all 16384 slots have an owner.
	ConditionSlotsAssigned = "SlotsAssigned"
	// ConditionConfigurationWarning: something accepted is risky.
	ConditionConfigurationWarning = "ConfigurationWarning"
)

// Reasons shared by conditions, events and log lines.
const (
	ReasonClusterHealthy    = "ClusterHealthy"
	ReasonNameConflict      = "NameConflict"
	ReasonActionFailed      = "ActionFailed"
	ReasonStorageClass      = "StorageClassNotFound"
	ReasonImagePull         = "ImagePullFailed"
	ReasonUnschedulable     = "Unschedulable"
	ReasonCrashLoop         = "ServerCrashing"
	ReasonDataDamaged       = "DataDamaged"
	ReasonSaveFailed        = "SaveFailed"
	ReasonClaimConflict     = "ClaimConflict"
	ReasonClaimTerminating  = "ClaimTerminating"
	ReasonClaimPending      = "ClaimPending"
	ReasonClaimBound        = "ClaimBound"
	ReasonPodPending        = "PodPending"
	ReasonPodNotReady       = "PodNotReady"
	ReasonServerUnreachable = "ServerUnreachable"
	ReasonServerAnswers     = "ServerAnswers"
	ReasonApplied           = "Applied"
	ReasonRollStale         = "RollStale"
	ReasonDeleting          = "Deleting"
	ReasonUpToDate          = "UpToDate"
)
