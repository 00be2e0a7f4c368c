package vknode

import "github.com/valkey-operator/valkey-operator/api/v1alpha1"

// WorkloadName is the name of the node's StatefulSet or Deployment.
func WorkloadName(n *v1alpha1.ValkeyNode) string { return "valkey-" + n.Name }

// ConfigMapName is the name of the ConfigMap that is mounted at [ConfigDir].
func ConfigMapName(n *v1alpha1.ValkeyNode) string { return "valkey-" + n.Name }

// ClaimName is the name of the claim that is mounted at [DataDir].
func ClaimName(n *v1alpha1.ValkeyNode) string { return "valkey-" + n.Name + "-data" }

// Where things are mounted in the server container.
const (
	DataDir   = "/data"
	ConfigDir = "/etc/valkey"
)

// Names of the volumes that are added to a pod template.
const (
	dataVolume   = "data"
	configVolume = "config"
)

// ExitDataDamaged is the exit code of a server container whose data is damaged,
// so that the server cannot load it.
const ExitDataDamaged = 65

// Keys of the ConfigMap, and so names of the files in [ConfigDir].
const (
	ConfigFileKey = "valkey.conf"
	startFileKey  = "start.sh"
	// nodeFileKey says which node this is. A volume that says otherwise was
	// copied from elsewhere.
	nodeFileKey = "node"
)
