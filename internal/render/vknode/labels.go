package vknode

import (
	"maps"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metaac "k8s.io/client-go/applyconfigurations/meta/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/spec"
)

// Selector is the whole selector of the node's workload. It never changes.
func Selector(node string) map[string]string {
	return map[string]string{v1alpha1.LabelNode: node}
}

// ownLabels are on every object of the node, its pod included. The operator's
// caches and the mapping from an object to its node depend on them.
func ownLabels(n *v1alpha1.ValkeyNode) map[string]string {
	return map[string]string{
		v1alpha1.LabelNode:      n.Name,
		v1alpha1.LabelManagedBy: spec.ManagedBy,
	}
}

// labels are the node's labels of the operator's own kinds, and ownLabels. A
// user's labels stay where the user put them.
func labels(n *v1alpha1.ValkeyNode) map[string]string {
	out := map[string]string{}
	for key, value := range n.Labels {
		if strings.HasPrefix(key, "valkey.io/") || strings.HasPrefix(key, "app.kubernetes.io/") {
			out[key] = value
		}
	}
	maps.Copy(out, ownLabels(n))
	return out
}

// Ours reports whether the labels of o say that it was made for the node with
// this name.
func Ours(o metav1.Object, node string) bool {
	l := o.GetLabels()
	return l[v1alpha1.LabelNode] == node && l[v1alpha1.LabelManagedBy] == spec.ManagedBy
}

func owner(n *v1alpha1.ValkeyNode) *metaac.OwnerReferenceApplyConfiguration {
	return metaac.OwnerReference().
		WithAPIVersion(v1alpha1.GroupVersion.String()).WithKind("ValkeyNode").
		WithName(n.Name).WithUID(n.UID).
		WithController(true).WithBlockOwnerDeletion(true)
}
