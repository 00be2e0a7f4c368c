package valkeynode

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/render/vknode"
)

// ownPods returns those of the pods that the node's workload made. The label
// alone proves nothing, because anybody can set it.
func ownPods(n *v1alpha1.ValkeyNode, pods []corev1.Pod) []corev1.Pod {
	return slices.DeleteFunc(slices.Clone(pods), func(p corev1.Pod) bool { return !isOwn(n, &p) })
}

// isOwn reports whether the pod is named as the node's workload names its pod,
// and belongs to nobody else. While a workload is made again its pod belongs to
// nobody.
func isOwn(n *v1alpha1.ValkeyNode, p *corev1.Pod) bool {
	owner := metav1.GetControllerOf(p)
	if isDeployment(n) {
		return owner == nil || owner.Kind == "ReplicaSet" && strings.HasPrefix(owner.Name, vknode.WorkloadName(n)+"-")
	}
	return p.Name == vknode.WorkloadName(n)+"-0" &&
		(owner == nil || owner.Kind == "StatefulSet" && owner.Name == vknode.WorkloadName(n))
}

// current returns the pod that stands for the node, or nil: one that is not on
// its way out if there is one, and of several the one made last.
func current(pods []corev1.Pod) *corev1.Pod {
	var best *corev1.Pod
	for i := range pods {
		if best == nil || moreCurrent(&pods[i], best) {
			best = &pods[i]
		}
	}
	return best
}

func moreCurrent(a, b *corev1.Pod) bool {
	if going(a) != going(b) {
		return !going(a)
	}
	return b.CreationTimestamp.Before(&a.CreationTimestamp)
}

// going reports whether the pod is being deleted, or has ended for good.
func going(p *corev1.Pod) bool {
	return p.DeletionTimestamp != nil || p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
}

// isReady reports whether Kubernetes counts the pod as ready.
func isReady(p *corev1.Pod) bool {
	if p == nil || p.DeletionTimestamp != nil {
		return false
	}
	return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// serverStatus returns the status of the container that runs the server, or
// nil before there is one.
func serverStatus(p *corev1.Pod) *corev1.ContainerStatus {
	name, err := vknode.ServerContainer(p.Spec.Containers)
	if err != nil {
		return nil
	}
	for i := range p.Status.ContainerStatuses {
		if p.Status.ContainerStatuses[i].Name == name {
			return &p.Status.ContainerStatuses[i]
		}
	}
	return nil
}

// serverRuns reports whether the server's process is running, as far as the
// kubelet knows.
func serverRuns(p *corev1.Pod) bool {
	if p == nil {
		return false
	}
	s := serverStatus(p)
	return s != nil && s.State.Running != nil
}
