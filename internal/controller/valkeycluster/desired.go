package valkeycluster

import (
	"fmt"
	"strings"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/report"
	"github.com/valkey-operator/valkey-operator/internal/slots"
	"github.com/valkey-operator/valkey-operator/internal/spec"
	"github.com/valkey-operator/valkey-operator/internal/topology"
)

// desired is the cluster as the planner wants to know it. An annotation that
// cannot be read is a failure, and is as good as none.
func desired(c spec.Cluster) (topology.Desired, []report.Failure) {
	want := topology.Desired{Shards: c.Shards, NodeTimeout: c.NodeTimeout, Inputs: c.InputsHash(), Vouched: c.TakeoverUnfenced}
	for _, n := range c.Nodes() {
		want.Members = append(want.Members, topology.Wanted{Name: topology.Name(n.Name), Shard: n.Shard, Index: n.Index})
	}
	accepted, err := slots.Parse(strings.ReplaceAll(c.AcceptDataLoss, ",", " "))
	if err != nil {
		return want, []report.Failure{{
			Reason:  reasonInvalidAnnotation,
			Message: fmt.Sprintf("annotation %s: %v; write slots such as 0-5460,10000, or remove it", v1alpha1.AnnotationAcceptDataLoss, err),
			Human:   true,
		}}
	}
	want.Accepted = accepted
	return want, nil
}

const reasonInvalidAnnotation = "InvalidAnnotation"
