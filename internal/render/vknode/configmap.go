package vknode

import (
	_ "embed"

	coreac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

//go:embed start.sh
var startScript string

// ConfigMap returns the ConfigMap that the pod mounts. Its annotations, which
// no pod sees, carry what has to be remembered about the pod.
func ConfigMap(n *v1alpha1.ValkeyNode, file File, unread Unread, record Record) *coreac.ConfigMapApplyConfiguration {
	return coreac.ConfigMap(ConfigMapName(n), n.Namespace).
		WithLabels(labels(n)).
		WithAnnotations(record.annotations()).
		WithAnnotations(unread.annotations()).
		WithOwnerReferences(owner(n)).
		WithData(map[string]string{
			ConfigFileKey: file.String(),
			startFileKey:  startScript,
			nodeFileKey:   n.Namespace + "/" + n.Name + "\n",
		})
}
