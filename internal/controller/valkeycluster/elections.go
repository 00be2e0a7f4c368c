package valkeycluster

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/valkey-operator/valkey-operator/internal/topology"
)

// Pauses between two requests to the same server to have itself elected. An
// election that goes well is over before the first. One that is under way shows
// in no answer of any server; to ask again begins it anew, lets the other
// primaries refuse the second vote, and with a primary that hangs stops its
// clients' writes once more.
const (
	firstElectionPause   = time.Second
	longestElectionPause = 30 * time.Second
)

// election is when a server was asked last to have itself elected, and how long
// it is left to that.
type election struct {
	asked time.Time
	pause time.Duration
}

// due returns the actions without the elections that were asked for a moment
// ago. A next life of the operator asks once more than needed.
func (m memory) due(name types.NamespacedName, actions []topology.Action, now time.Time) []topology.Action {
	m.mu.Lock()
	defer m.mu.Unlock()
	last := m.of(name)
	for target, e := range last.elections {
		if now.After(e.asked.Add(2 * e.pause)) {
			delete(last.elections, target)
		}
	}
	var due []topology.Action
	for _, a := range actions {
		target, election := electionOf(a)
		if !election || last.ask(target, now) {
			due = append(due, a)
		}
	}
	return due
}

func electionOf(a topology.Action) (topology.Target, bool) {
	switch a := a.(type) {
	case topology.HandOver:
		return a.Target, true
	case topology.FailOver:
		return a.Target, true
	}
	return topology.Target{}, false
}

// ask notes that target is asked now, unless it was asked just before.
func (r *remembered) ask(target topology.Target, now time.Time) bool {
	e, asked := r.elections[target]
	if asked && now.Before(e.asked.Add(e.pause)) {
		return false
	}
	pause := firstElectionPause
	if asked {
		pause = min(2*e.pause, longestElectionPause)
	}
	if r.elections == nil {
		r.elections = map[topology.Target]election{}
	}
	r.elections[target] = election{asked: now, pause: pause}
	return true
}
