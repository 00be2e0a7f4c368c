package vkcluster

import (
	coreac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/valkey-operator/valkey-operator/internal/spec"
)

// ServiceAccount returns the account that the pods run as. It exists so that
// they have no rights of another one; none of them ever gets its token.
func ServiceAccount(c spec.Cluster) *coreac.ServiceAccountApplyConfiguration {
	return coreac.ServiceAccount(c.ServiceAccount(), c.Namespace).
		WithLabels(c.Labels()).
		WithOwnerReferences(owner(c)).
		WithAutomountServiceAccountToken(false)
}
