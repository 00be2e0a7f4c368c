package report

import (
	"fmt"
	"slices"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/topology"
)

// events tells what changed and what is being done: one event for each reason,
// and nothing in a pass that did nothing.
func events(p Pass, before, after v1alpha1.ValkeyClusterStatus) []Event {
	var told []Event
	counts := map[string]int{}
	for _, a := range p.Plan.Actions {
		if !quiet(a) {
			told = tell(told, counts, string(a.Explain().Reason), a.Explain().Message)
		}
	}
	for i := range told {
		if more := counts[told[i].Reason] - 1; more > 0 {
			told[i].Message += fmt.Sprintf(" (and %d more)", more)
		}
	}
	if lost := foundedAgain(p, before); lost != "" {
		told = append(told, Event{Warning: true, Reason: reasonDataLost, Message: lost})
	}
	if before.State != after.State || (before.Reason != after.Reason && trouble(after.State)) {
		change := Event{Warning: trouble(after.State), Reason: after.Reason, Message: after.Message}
		if !slices.ContainsFunc(told, change.repeats) {
			told = append(told, change)
		}
	}
	return told
}

// repeats reports whether the two are one to Kubernetes, which counts events of
// one reason instead of keeping their messages, and goes on writing the count
// for minutes.
func (e Event) repeats(other Event) bool {
	return e.Warning == other.Warning && e.Reason == other.Reason
}

// News returns those of the events that were not told before.
func News(events, before []Event) []Event {
	return slices.DeleteFunc(slices.Clone(events), func(e Event) bool { return slices.ContainsFunc(before, e.repeats) })
}

// quiet are the actions that come in many small steps of no interest.
func quiet(a topology.Action) bool {
	switch a.(type) {
	case topology.Meet, topology.SetNodeTimeout, topology.Forget:
		return true
	}
	return false
}

func tell(told []Event, counts map[string]int, reason, message string) []Event {
	counts[reason]++
	if counts[reason] > 1 {
		return told
	}
	return append(told, Event{Reason: reason, Message: message})
}

func trouble(s v1alpha1.ClusterState) bool {
	return s == v1alpha1.StateDegraded || s == v1alpha1.StateFailed
}

const reasonDataLost = "DataLost"

// foundedAgain says that slots of a cluster that has been Ready before are
// assigned anew, which is done only when every server is there and empty (N10).
func foundedAgain(p Pass, before v1alpha1.ValkeyClusterStatus) string {
	if before.State == "" || before.State == v1alpha1.StateInitializing {
		return ""
	}
	count := 0
	for _, a := range p.Plan.Actions {
		if claim, ok := a.(topology.Claim); ok {
			count += claim.Slots.Count()
		}
	}
	if count == 0 {
		return ""
	}
	return fmt.Sprintf("%d slots are assigned anew and hold no data: all servers came back empty, so no copy of their keys is left", count)
}
