package vkcluster

import (
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	metaac "k8s.io/client-go/applyconfigurations/meta/v1"
	policyac "k8s.io/client-go/applyconfigurations/policy/v1"

	"github.com/valkey-operator/valkey-operator/internal/spec"
)

// DisruptionBudget returns the budget that lets one pod of the cluster be
// evicted at a time. A pod that is not ready may always be evicted, so that a
// broken one never blocks the draining of its machine.
func DisruptionBudget(c spec.Cluster) *policyac.PodDisruptionBudgetApplyConfiguration {
	return policyac.PodDisruptionBudget(c.DisruptionBudget(), c.Namespace).
		WithLabels(c.Labels()).
		WithOwnerReferences(owner(c)).
		WithSpec(policyac.PodDisruptionBudgetSpec().
			WithMaxUnavailable(intstr.FromInt32(1)).
			WithUnhealthyPodEvictionPolicy(policyv1.AlwaysAllow).
			WithSelector(metaac.LabelSelector().WithMatchLabels(c.Selector())))
}
