package report

import (
	"time"

	"github.com/valkey-operator/valkey-operator/internal/topology"
)

// When to look again. Changes in Kubernetes and of servers wake a cluster
// anyway; these are for what nobody tells.
const (
	// afterCommands lets gossip carry what was just said.
	afterCommands = 50 * time.Millisecond
	// afterFailover is longer than a replica needs to become primary, for
	// asking it again while it is at it makes it begin anew.
	afterFailover = 300 * time.Millisecond
	// whileWaiting is for servers that start, join and synchronise.
	whileWaiting = 100 * time.Millisecond
	// patience is how many times whileWaiting goes on before it gets longer.
	patience    = 100
	longestWait = 5 * time.Second
	whenSettled = 10 * time.Second
)

// Next says when to look again at a cluster for which plan was made. Waited is
// how many passes before this one had nothing to do but wait for the same
// things.
func Next(plan topology.Plan, waited int) time.Duration {
	switch {
	case plan.Done():
		return whenSettled
	case len(plan.Actions) == 0:
		return waitFor(waited)
	}
	for _, a := range plan.Actions {
		switch a.(type) {
		case topology.HandOver, topology.FailOver, topology.TakeOver, topology.Reclaim:
			return afterFailover
		}
	}
	return afterCommands
}

func waitFor(waited int) time.Duration {
	wait := whileWaiting
	for range max(0, waited-patience) / 8 {
		if wait *= 2; wait >= longestWait {
			return longestWait
		}
	}
	return wait
}
