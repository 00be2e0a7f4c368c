package vkcluster

import (
	metaac "k8s.io/client-go/applyconfigurations/meta/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/spec"
)

// owner makes an object go when its cluster goes.
func owner(c spec.Cluster) *metaac.OwnerReferenceApplyConfiguration {
	return metaac.OwnerReference().
		WithAPIVersion(v1alpha1.GroupVersion.String()).
		WithKind("ValkeyCluster").
		WithName(c.Name).
		WithUID(c.UID).
		WithController(true).
		WithBlockOwnerDeletion(true)
}
