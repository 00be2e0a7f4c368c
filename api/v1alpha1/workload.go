package v1alpha1

// WorkloadType is the kind of Kubernetes workload that runs a node's single pod.
//
// +kubebuilder:validation:Enum=StatefulSet;Deployment
type WorkloadType string

const (
	// WorkloadStatefulSet gives the pod a stable name and allows persistence.
	WorkloadStatefulSet WorkloadType = "StatefulSet"
	// WorkloadDeployment is for nodes without persistence.
	WorkloadDeployment WorkloadType = "Deployment"
)
