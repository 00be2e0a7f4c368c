package spec

import (
	"strconv"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// Values of the recommended labels.
const (
	labelName        = "valkey"
	labelPartOf      = "valkey"
	componentCluster = "valkey-cluster"
	componentNode    = "valkey-node"

	// ManagedBy is the value of app.kubernetes.io/managed-by on every object
	// that the operator makes. The operator's caches hold no others.
	ManagedBy = "valkey-operator"
)

// Labels returns the labels of the objects that belong to the cluster as a
// whole.
func (c Cluster) Labels() map[string]string {
	return c.labels(componentCluster)
}

// NodeLabels returns the labels of a node and of its pod.
func (c Cluster) NodeLabels(n Node) map[string]string {
	labels := c.labels(componentNode)
	labels[v1alpha1.LabelShardIndex] = strconv.Itoa(n.Shard)
	labels[v1alpha1.LabelNodeIndex] = strconv.Itoa(n.Index)
	return labels
}

// Selector returns the labels that select every pod of the cluster and no
// other. They never change, because selectors of workloads and claims of users
// are built on them.
func (c Cluster) Selector() map[string]string {
	return map[string]string{v1alpha1.LabelCluster: c.Name}
}

// ShardSelector returns the labels that select the pods made for a shard.
func (c Cluster) ShardSelector(shard int) map[string]string {
	return map[string]string{
		v1alpha1.LabelCluster:    c.Name,
		v1alpha1.LabelShardIndex: strconv.Itoa(shard),
	}
}

func (c Cluster) labels(component string) map[string]string {
	return map[string]string{
		v1alpha1.LabelCluster:   c.Name,
		v1alpha1.LabelName:      labelName,
		v1alpha1.LabelInstance:  c.Name,
		v1alpha1.LabelComponent: component,
		v1alpha1.LabelPartOf:    labelPartOf,
		v1alpha1.LabelManagedBy: ManagedBy,
	}
}
