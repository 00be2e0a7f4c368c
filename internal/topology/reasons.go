package topology

// Reasons of actions and blocks.
const (
	ReasonCreating        Reason = "CreatingNodes"
	ReasonForming         Reason = "FormingCluster"
	ReasonWaitServers     Reason = "WaitingForServers"
	ReasonStrayVolumes    Reason = "RetainedVolumes"
	ReasonSlotsLost       Reason = "SlotsWithoutOwner"
	ReasonSlotsDisputed   Reason = "SlotsWithTwoOwners"
	ReasonJoining         Reason = "JoiningServers"
	ReasonForeignServer   Reason = "ForeignServer"
	ReasonReplicating     Reason = "AttachingReplica"
	ReasonUnexpectedKeys  Reason = "KeysWithoutSlots"
	ReasonSyncing         Reason = "WaitingForReplication"
	ReasonNodeTimeout     Reason = "SettingNodeTimeout"
	ReasonFailingOver     Reason = "FailingOver"
	ReasonTakingOver      Reason = "TakingOver"
	ReasonReclaiming      Reason = "ReclaimingSlots"
	ReasonTwins           Reason = "ServerRunsTwice"
	ReasonMajorityLost    Reason = "MajorityLost"
	ReasonForgetting      Reason = "ForgettingServer"
	ReasonWaitPods        Reason = "WaitingForPods"
	ReasonWaitServing     Reason = "WaitingForCluster"
	ReasonReplacing       Reason = "ReplacingPod"
	ReasonHandingOver     Reason = "HandingOver"
	ReasonDataWithoutCopy Reason = "DataWithoutCopy"
	ReasonReleasing       Reason = "ReleasingNode"
)
