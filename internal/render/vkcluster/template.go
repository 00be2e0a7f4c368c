package vkcluster

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/spec"
)

// podTemplate returns the template of a node's pod, which satisfies the
// restricted level of the Pod Security Standards. The node controller adds the
// volumes for data and configuration and the command.
func podTemplate(c spec.Cluster, n spec.Node) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{
			Labels:      c.NodeLabels(n),
			Annotations: map[string]string{v1alpha1.AnnotationInputsHash: c.InputsHash()},
		},
		Spec: corev1.PodSpec{
			Containers:                    []corev1.Container{server(c)},
			Volumes:                       volumes(c),
			Affinity:                      affinity(c, n),
			ServiceAccountName:            c.ServiceAccount(),
			AutomountServiceAccountToken:  ptr.To(false),
			EnableServiceLinks:            ptr.To(false),
			SecurityContext:               podSecurity(),
			TerminationGracePeriodSeconds: ptr.To(int64(c.GracePeriod.Seconds())),
		},
	}
}

// affinity prefers another machine for each pod of a shard, so that the loss
// of one machine leaves every shard a copy where there are enough of them.
func affinity(c spec.Cluster, n spec.Node) *corev1.Affinity {
	labels := c.ShardSelector(n.Shard)
	return &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{
			Weight: 100,
			PodAffinityTerm: corev1.PodAffinityTerm{
				TopologyKey:   corev1.LabelHostname,
				LabelSelector: &metav1.LabelSelector{MatchLabels: labels},
			},
		}},
	}}
}
