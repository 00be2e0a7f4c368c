package vknode

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	appsac "k8s.io/client-go/applyconfigurations/apps/v1"
	metaac "k8s.io/client-go/applyconfigurations/meta/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// Deployment returns the workload of a node whose type is Deployment. It
// replaces its pod as soon as the template differs: writing the template is the
// restart.
func Deployment(n *v1alpha1.ValkeyNode, record Record) (*appsac.DeploymentApplyConfiguration, error) {
	template, err := record.PodTemplate()
	if err != nil {
		return nil, err
	}
	return appsac.Deployment(WorkloadName(n), n.Namespace).
		WithLabels(labels(n)).
		WithAnnotations(map[string]string{annotationTemplateHash: record.Hash}).
		WithOwnerReferences(owner(n)).
		WithSpec(appsac.DeploymentSpec().
			WithReplicas(1).
			WithSelector(metaac.LabelSelector().WithMatchLabels(Selector(n.Name))).
			WithStrategy(appsac.DeploymentStrategy().WithType(appsv1.RecreateDeploymentStrategyType)).
			WithTemplate(template)), nil
}

// DeploymentMismatch is [StatefulSetMismatch] for Deployments.
func DeploymentMismatch(n *v1alpha1.ValkeyNode, live *appsv1.Deployment) string {
	if !equality.Semantic.DeepEqual(live.Spec.Selector, selector(n)) {
		return "selector"
	}
	return ""
}

// AppliedTemplateHash returns the [TemplateHash] that a workload was last
// written with, or "".
func AppliedTemplateHash(workload metav1.Object) string {
	return workload.GetAnnotations()[annotationTemplateHash]
}

func selector(n *v1alpha1.ValkeyNode) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: Selector(n.Name)}
}
