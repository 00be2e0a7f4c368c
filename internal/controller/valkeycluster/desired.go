package valkeycluster

import (
	"github.com/valkey-operator/valkey-operator/internal/spec"
	"github.com/valkey-operator/valkey-operator/internal/topology"
)

// desired is the cluster as the planner wants to know it.
func desired(c spec.Cluster) topology.Desired {
	want := topology.Desired{Shards: c.Shards, NodeTimeout: c.NodeTimeout, Inputs: c.InputsHash(), Vouched: c.TakeoverUnfenced}
	for _, n := range c.Nodes() {
		want.Members = append(want.Members, topology.Wanted{Name: topology.Name(n.Name), Shard: n.Shard, Index: n.Index})
	}
	return want
}
