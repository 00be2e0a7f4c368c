package report

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/slots"
	"github.com/valkey-operator/valkey-operator/internal/topology"
)

// status computes the whole status anew; of the one before it keeps only the
// times at which conditions changed.
func status(p Pass, health topology.Health, before v1alpha1.ValkeyClusterStatus, now time.Time) v1alpha1.ValkeyClusterStatus {
	v := judge(p, health, before.State)
	s := v1alpha1.ValkeyClusterStatus{
		State:              v.state,
		Reason:             v.reason,
		Message:            v.message,
		ObservedGeneration: p.Generation,
		Conditions:         append(conditions(health, v), volumes(p.Nodes)...),
	}
	for _, shard := range health.Shards {
		if !shard.Slots.IsEmpty() {
			s.Shards++
		}
		if shard.Whole() {
			s.ReadyShards++
		}
		s.ShardStatuses = append(s.ShardStatuses, shardStatus(shard))
	}
	s.Ready = fmt.Sprintf("%d/%d", s.ReadyShards, p.Want.Shards)
	stamp(s.Conditions, before.Conditions, p.Generation, now)
	return s
}

func shardStatus(s topology.ShardHealth) v1alpha1.ShardStatus {
	status := v1alpha1.ShardStatus{
		Index:   int32(s.Index), //nolint:gosec // at most 500
		Primary: string(s.Primary),
		Slots:   printRanges(s.Slots),
	}
	for _, r := range s.Replicas {
		status.Replicas = append(status.Replicas, v1alpha1.ReplicaStatus{Name: string(r.Name), InSync: r.InSync})
	}
	return status
}

// mostRanges is how many ranges of slots a shard's status lists.
const mostRanges = 16

func printRanges(set slots.Set) []string {
	var out []string
	ranges := set.Ranges()
	for _, r := range ranges[:min(mostRanges, len(ranges))] {
		out = append(out, slots.Of(r).String())
	}
	if more := len(ranges) - mostRanges; more > 0 {
		out = append(out, fmt.Sprintf("+%d", more))
	}
	return out
}

func conditions(health topology.Health, v verdict) []metav1.Condition {
	ready := v.state == v1alpha1.StateReady
	assigned := health.Unserved.IsEmpty()
	return []metav1.Condition{
		condition(v1alpha1.ConditionReady, ready, v.reason, v.message),
		condition(v1alpha1.ConditionProgressing, !ready && v.state != v1alpha1.StateFailed, v.reason, v.message),
		condition(v1alpha1.ConditionDegraded, v.state == v1alpha1.StateDegraded || v.state == v1alpha1.StateFailed, v.reason, v.message),
		condition(v1alpha1.ConditionClusterFormed, health.Joined, either(health.Joined, "AllServersJoined", "ServersMissing"),
			either(health.Joined, "All servers know each other", "Not all servers are known to be members of one cluster")),
		condition(v1alpha1.ConditionSlotsAssigned, assigned, either(assigned, "AllSlotsServed", "SlotsNotServed"),
			either(assigned, "All 16384 slots are served", fmt.Sprintf("%d of 16384 slots are not served", health.Unserved.Count()))),
	}
}

func condition(kind string, holds bool, reason, message string) metav1.Condition {
	status := metav1.ConditionFalse
	if holds {
		status = metav1.ConditionTrue
	}
	return metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message}
}

func either(holds bool, yes, no string) string {
	if holds {
		return yes
	}
	return no
}

// stamp sets generations and times; a condition keeps its time as long as its
// status stays.
func stamp(conditions, before []metav1.Condition, generation int64, now time.Time) {
	for i := range conditions {
		c := &conditions[i]
		c.ObservedGeneration = generation
		c.LastTransitionTime = metav1.NewTime(now)
		if old := meta.FindStatusCondition(before, c.Type); old != nil && old.Status == c.Status {
			c.LastTransitionTime = old.LastTransitionTime
		}
	}
}
