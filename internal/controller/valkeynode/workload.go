package valkeynode

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/render/vknode"
)

// workload is the node's StatefulSet or Deployment, as far as both are alike.
type workload struct {
	object client.Object
	// template is what its next pod is made from, templateHash what that was
	// rendered from.
	template     *corev1.PodTemplateSpec
	templateHash string
	// revision is the value of the label controller-revision-hash of a pod
	// that is made from the template. It is "" for Deployments, and while it
	// is not known yet.
	revision string
	// mismatch names a field that has to be otherwise and cannot be changed.
	mismatch string
}

func (w *workload) going() bool { return w.object.GetDeletionTimestamp() != nil }

func ofStatefulSet(n *v1alpha1.ValkeyNode, s *appsv1.StatefulSet) *workload {
	w := &workload{
		object:       s,
		template:     &s.Spec.Template,
		templateHash: vknode.AppliedTemplateHash(s),
		mismatch:     vknode.StatefulSetMismatch(n, s),
	}
	if s.Status.ObservedGeneration == s.Generation {
		w.revision = s.Status.UpdateRevision
	}
	return w
}

func ofDeployment(n *v1alpha1.ValkeyNode, d *appsv1.Deployment) *workload {
	return &workload{
		object:       d,
		template:     &d.Spec.Template,
		templateHash: vknode.AppliedTemplateHash(d),
		mismatch:     vknode.DeploymentMismatch(n, d),
	}
}

func isDeployment(n *v1alpha1.ValkeyNode) bool {
	return n.Spec.WorkloadType == v1alpha1.WorkloadDeployment
}

// emptyWorkload returns an object of the node's kind of workload.
func emptyWorkload(n *v1alpha1.ValkeyNode) client.Object {
	if isDeployment(n) {
		return &appsv1.Deployment{}
	}
	return &appsv1.StatefulSet{}
}

func asWorkload(n *v1alpha1.ValkeyNode, o client.Object) *workload {
	switch o := o.(type) {
	case *appsv1.StatefulSet:
		return ofStatefulSet(n, o)
	case *appsv1.Deployment:
		return ofDeployment(n, o)
	}
	return nil
}
