package vknode

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// node returns a node with one container, changed.
func node(change ...func(*v1alpha1.ValkeyNode)) *v1alpha1.ValkeyNode {
	n := &v1alpha1.ValkeyNode{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "cache-0-0", UID: "uid-1"}}
	n.Spec.WorkloadType = v1alpha1.WorkloadStatefulSet
	n.Spec.PodTemplate.Spec.Containers = []corev1.Container{{Name: "server", Image: "valkey/valkey:9.1"}}
	for _, f := range change {
		f(n)
	}
	return n
}

func persistent(n *v1alpha1.ValkeyNode) {
	n.Spec.Persistence = &v1alpha1.NodePersistence{PersistenceSpec: v1alpha1.PersistenceSpec{Size: resource.MustParse("10Gi")}}
}
