package v1alpha1

// Reasons of the conditions of a ValkeyNode, beside those it shares.
const (
	// ReasonServerUnobserved: the server has not been asked yet.
	ReasonServerUnobserved = "ServerUnobserved"
	// ReasonCredentialsMissing: the Secret that access names, or the key in it,
	// does not exist.
	ReasonCredentialsMissing = "CredentialsMissing"
	// ReasonInvalidTemplate: podTemplate cannot be used as it is.
	ReasonInvalidTemplate = "InvalidTemplate"
	// ReasonRefused: the API server refused an object; the message says why.
	ReasonRefused = "Refused"
	// ReasonReplacing: an outdated pod or workload is being replaced.
	ReasonReplacing = "Replacing"
	// ReasonClaimLost: the volume behind the claim is gone.
	ReasonClaimLost = "ClaimLost"
	// ReasonClaimWaitsForPod: the volume is made once the pod is scheduled.
	ReasonClaimWaitsForPod = "ClaimWaitsForPod"
	// ReasonNoStorageClass: the spec names no class and there is no default.
	ReasonNoStorageClass = "NoDefaultStorageClass"
	// ReasonResizePending: a larger volume was asked for, and the storage has not
	// begun.
	ReasonResizePending = "ResizePending"
	// ReasonResizing: the storage is growing the volume.
	ReasonResizing = "Resizing"
	// ReasonFileSystemPending: the volume has grown and its file system has not.
	ReasonFileSystemPending = "FileSystemResizePending"
	// ReasonResizeFailed: the storage failed to grow the volume and tries again.
	ReasonResizeFailed = "ResizeFailed"
	// ReasonResizeInfeasible: the storage cannot give the volume that size.
	ReasonResizeInfeasible = "ResizeInfeasible"
	// ReasonResizeRefused: the API server refuses to let the claim ask for the
	// wanted size.
	ReasonResizeRefused = "ResizeRefused"
	// ReasonConfigRejected: a directive is refused, by the server or because it
	// cannot be written down. It is in no file.
	ReasonConfigRejected = "Rejected"
	// ReasonRestartRequired: a directive is in the file and the server reads it
	// when it starts next.
	ReasonRestartRequired = "RestartRequired"
)
