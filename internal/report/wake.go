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
	// afterFailover is longer than a replica usually needs to become primary.
	afterFailover = 300 * time.Millisecond
	// whileWaiting is for servers that start, join and synchronise.
	whileWaiting = 100 * time.Millisecond
	// patience is how many times whileWaiting goes on before it gets longer.
	patience = 100
	// whileStuck is for clusters that wait for servers which do not answer, and
	// will tell when they do. There may be many such at a time.
	whileStuck  = time.Second
	longestWait = 5 * time.Second
	// whenSettled together with the watcher's questions keeps a server from being
	// asked more than once a second.
	whenSettled = 15 * time.Second
)

// Next says when to look again after a pass. Waited is how many passes before
// this one had nothing to do but wait for the same things.
func Next(p Pass, waited int) time.Duration {
	switch {
	case p.Plan.Done():
		return whenSettled
	case len(p.Plan.Actions) == 0 && p.Stuck:
		return lengthen(whileStuck, waited)
	case len(p.Plan.Actions) == 0:
		return lengthen(whileWaiting, waited-patience)
	}
	for _, a := range p.Plan.Actions {
		switch a.(type) {
		case topology.HandOver, topology.FailOver, topology.TakeOver, topology.Reclaim:
			return afterFailover
		}
	}
	return afterCommands
}

// lengthen doubles wait after every eighth pass.
func lengthen(wait time.Duration, passes int) time.Duration {
	for range max(0, passes) / 8 {
		if wait *= 2; wait >= longestWait {
			return longestWait
		}
	}
	return wait
}
