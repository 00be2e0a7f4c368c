package vknode

import (
	_ "embed"

	coreac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

//go:embed start.sh
var startScript string

// ConfigMap returns the ConfigMap that the pod mounts. The record travels in
// its annotations, which no pod sees.
func ConfigMap(n *v1alpha1.ValkeyNode, file File, record Record) *coreac.ConfigMapApplyConfiguration {
	return coreac.ConfigMap(ConfigMapName(n), n.Namespace).
		WithLabels(labels(n)).
		WithAnnotations(record.annotations()).
		WithOwnerReferences(owner(n)).
		WithData(map[string]string{ConfigFileKey: file.String(), startFileKey: startScript})
}
