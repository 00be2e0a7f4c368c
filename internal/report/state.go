package report

import (
	"fmt"
	"strings"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/topology"
)

// verdict is state, reason and message, which belong together.
type verdict struct {
	state   v1alpha1.ClusterState
	reason  string
	message string
}

var healthy = verdict{v1alpha1.StateReady, v1alpha1.ReasonClusterHealthy, "Cluster is healthy"}

// judge says how the cluster does. It is Ready only if what was observed is
// whole, nothing is left to do or to wait for, and nothing failed (A6).
func judge(p Pass, health topology.Health, before v1alpha1.ClusterState) verdict {
	cause, human := firstCause(p, health)
	switch {
	case cause == nil:
		return healthy
	case human:
		return verdict{v1alpha1.StateFailed, cause.Reason, cause.Message}
	case before == "" || before == v1alpha1.StateInitializing:
		return verdict{v1alpha1.StateInitializing, cause.Reason, cause.Message}
	case !health.Whole():
		return verdict{v1alpha1.StateDegraded, cause.Reason, cause.Message + damage(p, health)}
	}
	return verdict{v1alpha1.StateReconciling, cause.Reason, cause.Message}
}

// firstCause is the most telling reason why the cluster is not Ready, and
// whether only a human can help. It is nil when there is none.
func firstCause(p Pass, health topology.Health) (cause *Failure, human bool) {
	causes := causes(p, health)
	for i := range causes {
		if causes[i].Human {
			return &causes[i], true
		}
	}
	if len(causes) == 0 {
		return nil, false
	}
	return &causes[0], false
}

// causes lists why the cluster is not Ready, the most telling ones first.
func causes(p Pass, health topology.Health) []Failure {
	found := append([]Failure(nil), p.Failures...)
	found = append(found, nodeCauses(p.Nodes)...)
	for _, a := range p.Plan.Actions {
		why := a.Explain()
		found = append(found, Failure{Reason: string(why.Reason), Message: why.Message})
	}
	for _, b := range p.Plan.Blocked {
		found = append(found, Failure{Reason: string(b.Reason), Message: b.Message, Human: b.Human})
	}
	if len(found) == 0 && !health.Whole() {
		found = append(found, Failure{Reason: string(topology.ReasonWaitServing), Message: "not every shard is served with full redundancy" + damage(p, health)})
	}
	found = append(found, growing(p.Nodes)...)
	return append(found, staleNodes(p.Nodes)...)
}

// damage names the first shard that is not whole, the member and its machine.
func damage(p Pass, health topology.Health) string {
	var text strings.Builder
	if !health.Unserved.IsEmpty() {
		fmt.Fprintf(&text, "; %d slots are not served", health.Unserved.Count())
	}
	for _, s := range health.Shards {
		if s.Whole() {
			continue
		}
		if s.Primary == "" || !s.Serving {
			fmt.Fprintf(&text, "; shard %d has no serving primary", s.Index)
		}
		for _, r := range s.Replicas {
			if !r.InSync {
				fmt.Fprintf(&text, "; %s of shard %d%s is not in sync", r.Name, s.Index, machine(p, r.Name))
				break
			}
		}
		break
	}
	return text.String()
}

func machine(p Pass, name topology.Name) string {
	for _, m := range p.Seen.Members {
		if m.Name == name && m.Pod != nil && m.Pod.Machine != "" {
			return " on machine " + m.Pod.Machine
		}
	}
	return ""
}
