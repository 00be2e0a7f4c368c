package vknode

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	appsac "k8s.io/client-go/applyconfigurations/apps/v1"
	metaac "k8s.io/client-go/applyconfigurations/meta/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// StatefulSet returns the workload of a node whose type is StatefulSet. It
// replaces its pod only when somebody deletes the pod, and makes it without
// waiting for anything.
func StatefulSet(n *v1alpha1.ValkeyNode, record Record) (*appsac.StatefulSetApplyConfiguration, error) {
	template, err := record.PodTemplate()
	if err != nil {
		return nil, err
	}
	spec := appsac.StatefulSetSpec().
		WithReplicas(1).
		WithSelector(metaac.LabelSelector().WithMatchLabels(Selector(n.Name))).
		WithPodManagementPolicy(appsv1.ParallelPodManagement).
		WithUpdateStrategy(appsac.StatefulSetUpdateStrategy().WithType(appsv1.OnDeleteStatefulSetStrategyType)).
		WithTemplate(template)
	if n.Spec.ServiceName != "" {
		spec.WithServiceName(n.Spec.ServiceName)
	}
	return appsac.StatefulSet(WorkloadName(n), n.Namespace).
		WithLabels(labels(n)).
		WithAnnotations(map[string]string{annotationTemplateHash: record.Hash}).
		WithOwnerReferences(owner(n)).
		WithSpec(spec), nil
}

// StatefulSetMismatch returns the name of a field in which live differs from
// what the node needs and which cannot be changed, or "".
func StatefulSetMismatch(n *v1alpha1.ValkeyNode, live *appsv1.StatefulSet) string {
	switch {
	case !equality.Semantic.DeepEqual(live.Spec.Selector, selector(n)):
		return "selector"
	case live.Spec.ServiceName != n.Spec.ServiceName:
		return "serviceName"
	case live.Spec.PodManagementPolicy != appsv1.ParallelPodManagement:
		return "podManagementPolicy"
	case len(live.Spec.VolumeClaimTemplates) != 0:
		return "volumeClaimTemplates"
	}
	return ""
}
