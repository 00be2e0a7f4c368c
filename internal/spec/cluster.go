package spec

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// Cluster is a ValkeyCluster with nothing left open.
type Cluster struct {
	Namespace string
	Name      string
	UID       types.UID

	// Shards is the number of shards, at least 1; Replicas the number of
	// replicas that each has beside its primary.
	Shards   int
	Replicas int

	Image        string
	WorkloadType v1alpha1.WorkloadType
	Resources    corev1.ResourceRequirements

	// Persistence is nil for a cluster without volumes. Its reclaim policy is
	// never empty.
	Persistence *v1alpha1.PersistenceSpec

	// Config holds the directives that a user may choose, by name. Directives
	// that belong to the operator are not in it.
	Config map[string]intstr.IntOrString

	// NodeTimeout is cluster-node-timeout: how long a member may be silent
	// before the others suspect it.
	NodeTimeout time.Duration
	// FailoverTimeout is how long a server tries to carry out a manual
	// failover before it gives up.
	FailoverTimeout time.Duration
	// GracePeriod is the time that a pod has between being told to stop and
	// being killed.
	GracePeriod time.Duration

	// RestartedAt is the user's annotation of that name, empty when unset.
	RestartedAt string
	// TakeoverUnfenced is true while a human vouches that the primaries that do
	// not answer are dead.
	TakeoverUnfenced bool
	// AcceptDataLoss is the user's annotation of that name as it is written,
	// empty when unset.
	AcceptDataLoss string

	// Inputs is what the user wrote, as far as changing it needs a restart.
	Inputs Inputs
}

// Node is one member that a cluster should have. Index says nothing about the
// role: after a failover the primary of a shard may have any index.
type Node struct {
	Name  string
	Shard int
	Index int
}

// Nodes returns the members of the cluster, Shards × (1 + Replicas) of them,
// in order of shard and index.
func (c Cluster) Nodes() []Node {
	nodes := make([]Node, 0, c.Shards*(1+c.Replicas))
	for shard := range c.Shards {
		for index := range 1 + c.Replicas {
			nodes = append(nodes, c.node(shard, index))
		}
	}
	return nodes
}

// Node returns the member of that name; false if there is none.
func (c Cluster) Node(name string) (Node, bool) {
	var shard, index int
	rest, _ := strings.CutPrefix(name, c.Name+"-")
	if _, err := fmt.Sscanf(rest, "%d-%d", &shard, &index); err != nil {
		return Node{}, false
	}
	n := c.node(shard, index)
	return n, n.Name == name && 0 <= shard && shard < c.Shards && 0 <= index && index <= c.Replicas
}

func (c Cluster) node(shard, index int) Node {
	return Node{Name: fmt.Sprintf("%s-%d-%d", c.Name, shard, index), Shard: shard, Index: index}
}
