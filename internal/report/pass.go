package report

import (
	"time"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/topology"
)

// Pass is one pass over a cluster, as far as a report needs it.
type Pass struct {
	// Generation of the spec that the pass worked with.
	Generation int64
	Want       topology.Desired
	Seen       topology.Observed
	// Stuck is true when a server does not answer, and somebody else notices when
	// it does.
	Stuck bool
	// Nodes are the ValkeyNodes of the cluster, in order of their names.
	Nodes []v1alpha1.ValkeyNode
	Plan  topology.Plan
	// Failures are writes and commands that failed.
	Failures []Failure
}

// Failure is something that could not be done.
type Failure struct {
	Reason  string
	Message string
	// Human is true when only a human can help.
	Human bool
}

// Report is everything that a pass tells the world.
type Report struct {
	Status v1alpha1.ValkeyClusterStatus
	Events []Event
}

// Event is one event on the ValkeyCluster.
type Event struct {
	Warning bool
	Reason  string
	Message string
}

// Of reports a pass. Before is the status that the cluster has now: it decides
// only what counts as a change.
func Of(p Pass, before v1alpha1.ValkeyClusterStatus, now time.Time) Report {
	health := topology.Examine(p.Want, p.Seen)
	status := status(p, health, before, now)
	return Report{Status: status, Events: events(p, before, status)}
}
