package scenario

import (
	"maps"
	"strings"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/slots"
	"github.com/valkey-operator/valkey-operator/internal/topology"
)

// Fault is something that happens to a cluster.
type Fault string

// The faults. Those with "all" in their name do not look at the member.
const (
	Calm        Fault = "calm"         // only time goes by
	Crash       Fault = "crash"        // the server is killed and restarted in place
	Delete      Fault = "delete pod"   // cleanly; the next pod has a new address
	ForceDelete Fault = "force delete" // killed; the next pod has a new address
	LoseMachine Fault = "lose machine" // the pod stays, terminating, and comes back elsewhere
	// LoseMajority takes away the machines of so many primaries that the rest
	// cannot vote.
	LoseMajority Fault = "lose majority"
	OutOfService Fault = "out of service"  // all lost machines are declared to be so
	DeleteAll    Fault = "delete all pods" // cleanly
	KillAll      Fault = "kill all pods"   // and all addresses are new
	SaveAll      Fault = "save all"        // every data set is on disk
	Isolate      Fault = "isolate"         // from every other server
	Blind        Fault = "blind"           // the operators cannot reach the server
	Hang         Fault = "hang"
	Lag          Fault = "lag" // as a replica
	Mend         Fault = "mend all"
	Wipe         Fault = "wipe volume"
	// Restore is what a human does after the loss of a volume, when he has seen
	// too little: everything that is left is saved and started anew.
	Restore    Fault = "wipe volume, restart the rest"
	RollOut    Fault = "roll out all" // new inputs
	RollBad    Fault = "roll out bad" // inputs with which no server starts
	DeleteNode Fault = "delete node"  // the ValkeyNode
	// LoseCopy ends a server, and what is on its disk goes with it, whoever else
	// has the data.
	LoseCopy Fault = "lose copy"
	// AcceptLoss is a human who gives up the keys of shards that nobody serves,
	// AcceptAll one who gives up all keys.
	AcceptLoss Fault = "accept loss"
	AcceptAll  Fault = "accept loss of all"
	// ShortTimeout leaves a server as an operator does that dies while a
	// cluster is founded.
	ShortTimeout Fault = "short timeout"
)

// strike lets fault happen to n. It returns false when it would need what the
// planner cannot do yet, see awaiting.
func (f *Fleet) strike(fault Fault, n *node) bool {
	defer f.load.excuse(f)
	if f.needsHuman(fault) {
		return false
	}
	switch fault {
	case SaveAll, Mend, KillAll, DeleteAll, RollOut, RollBad, OutOfService:
		return f.strikeAll(fault)
	case AcceptLoss, AcceptAll:
		return f.acceptLoss(fault)
	case LoseMajority:
		return f.loseMajority()
	case LoseCopy:
		return f.loseCopy(n)
	case Blind, Lag, Calm:
	default:
		if n == nil || n.pod == nil || !n.server.Running() || !f.mayLose(n) || f.isLost(n) {
			return false
		}
	}
	switch fault {
	case ShortTimeout:
		return f.inside(n, "CONFIG", "SET", "cluster-node-timeout", "500").Err() == nil
	case Crash:
		f.crash(n)
	case Delete:
		f.stopped(n)
	case ForceDelete:
		f.killed(n)
	case DeleteNode:
		n.deleting = true
	case Restore:
		return f.strike(SaveAll, n) && f.strike(Wipe, n) && f.strike(KillAll, n)
	case Wipe:
		f.killed(n)
		n.server.Wipe()
		n.wiped, n.unclean, n.estranged = true, false, false
	case EmptyConf, CutConf, OutrankedConf, SwapVolume:
		return f.spoil(fault, n)
	default:
		return f.disturb(fault, n)
	}
	return true
}

func (f *Fleet) strikeAll(fault Fault) bool {
	switch fault {
	case RollOut:
		f.rollOut("good")
	case RollBad:
		f.rollOut(badTemplate)
	case Mend:
		f.mend()
	case OutOfService:
		maps.Copy(f.outOfService, f.lost)
	}
	for _, name := range f.names() {
		n := f.nodes[name]
		switch {
		case n.pod == nil || !n.server.Running():
		case fault == SaveAll:
			n.server.Save()
		case fault == KillAll:
			f.killed(n)
		case fault == DeleteAll:
			f.stopped(n)
		}
	}
	return true
}

// killed ends the server at once, and the pod with it.
func (f *Fleet) killed(n *node) {
	f.crash(n)
	n.due = f.now + podRestart
	n.pod = nil
}

func (f *Fleet) rollOut(kind string) {
	f.rolls++
	f.Want.Inputs = kind + "-" + strings.Repeat("i", f.rolls)
}

// disturbed is what only a simulated server can suffer.
type disturbed interface {
	Lose()
	Hang()
	Wake()
	Lag(time.Duration)
	Isolate()
	Blind()
}

func (f *Fleet) disturb(fault Fault, n *node) bool {
	if n == nil {
		return false
	}
	s := n.server.(disturbed)
	switch fault {
	case LoseMachine:
		if f.restless() {
			return false
		}
		f.loseMachine(n)
	case Isolate:
		s.Isolate()
	case Blind:
		s.Blind()
	case Hang:
		s.Hang()
	case Lag:
		s.Lag(700 * time.Millisecond)
	}
	return true
}

// loseMachine ends a machine and the pod on it for good. Somebody removes the
// pod a while later.
func (f *Fleet) loseMachine(n *node) {
	f.ends(n)
	n.server.(disturbed).Lose()
	n.pod.lost, n.pod.restart = true, f.now+15*time.Second
	f.lost[n.last.Machine] = true
}

// restless reports whether pods without volumes are being replaced. Nobody can
// tell in the same instant that a machine is gone: its connections stay. So the
// other copy may be on its way out, which makes two losses at once.
func (f *Fleet) restless() bool {
	for _, n := range f.nodes {
		if !f.Volumes && n.pod != nil && n.pod.template != f.Want.Inputs {
			return true
		}
	}
	return false
}

// loseMajority takes the machines of half of the primaries, which is one too
// many, out of a cluster that is well.
func (f *Fleet) loseMajority() bool {
	if _, simulated := f.ground.(Simulation); !simulated || f.Replicas() == 0 || !f.allWell() || f.restless() {
		return false
	}
	for shard := range (f.Want.Shards + 1) / 2 {
		f.loseMachine(f.primaryOf(shard))
	}
	return true
}

// loseCopy ends the server of n, which comes back with nothing.
func (f *Fleet) loseCopy(n *node) bool {
	if n == nil || n.pod == nil || !n.server.Running() {
		return false
	}
	f.killed(n)
	n.server.Wipe()
	n.unclean = false
	return true
}

func (f *Fleet) acceptLoss(fault Fault) bool {
	var given []slots.Range
	for shard, part := range slots.Partition(f.Want.Shards) {
		if fault == AcceptAll || f.primaryOf(shard) == nil {
			given = append(given, part.Ranges()...)
		}
	}
	f.Want.Accepted = slots.Of(given...)
	f.load.giveUp(f.Want.Accepted)
	return true
}

// mend ends what does not end by itself.
func (f *Fleet) mend() {
	world, simulated := f.ground.(Simulation)
	if !simulated {
		return
	}
	world.Join()
	maps.Copy(f.outOfService, f.lost)
	for _, name := range f.names() {
		s := f.nodes[name].server.(disturbed)
		s.Wake()
		s.Lag(0)
	}
}

// mayLose reports whether n can be taken away without that the rest needs more
// than the servers' own votes. Without a majority it takes a takeover, which
// the planner does not decide yet (safety N11).
func (f *Fleet) mayLose(n *node) bool {
	switch {
	case f.Replicas() == 0:
		return f.Volumes
	case f.role(n) != topology.RolePrimary:
		return f.primaryOf(n.Shard) != nil
	}
	if f.replacing(n.Shard) { // which would be two disruptions at once
		return false
	}
	return f.Want.Shards > 2 && f.allWell()
}

// allWell reports whether every server answers, and serves or is in sync.
func (f *Fleet) allWell() bool {
	seen := f.Observe(f.context)
	for _, m := range seen.Members {
		if m.Server == nil || m.Server.Role == topology.RolePrimary && (!m.Server.Serving || m.Server.Slots.IsEmpty()) {
			return false
		}
		if m.Server.Role == topology.RoleReplica && !m.Server.InSync() || f.replacing(m.Shard) {
			return false
		}
	}
	return len(seen.Members) == len(f.Want.Members)
}

// replacing reports whether the node controller is about to replace a pod of the
// shard, or to take one away that a human deleted.
func (f *Fleet) replacing(shard int) bool {
	for _, n := range f.nodes {
		if n.Shard == shard && (n.deleting || n.pod != nil && n.pod.template != n.template) {
			return true
		}
	}
	return false
}

// primaryOf returns the node of the shard that is primary and runs, or nil.
func (f *Fleet) primaryOf(shard int) *node {
	for _, name := range f.names() {
		if n := f.nodes[name]; n.Shard == shard && !f.owns(n).IsEmpty() {
			return n
		}
	}
	return nil
}

func (f *Fleet) allRunning() bool {
	for _, w := range f.Want.Members {
		if n := f.nodes[w.Name]; n == nil || n.pod == nil || !n.server.Running() {
			return false
		}
	}
	return true
}

// needsHuman reports whether fault would lose the only copy of data, or asks
// for what would (N2, N10). The planner waits for a human then, see situations.
func (f *Fleet) needsHuman(fault Fault) bool {
	switch fault {
	case RollOut, RollBad:
		return f.Replicas() == 0 && !f.Volumes && f.Want.Accepted.Count() < slots.Total
	case DeleteNode, Wipe, Restore, SwapVolume:
		return f.Replicas() == 0
	case Delete, ForceDelete, LoseMachine:
		return f.Replicas() == 0 && !f.Volumes
	case DeleteAll, KillAll:
		// With an old server left, the slots of the others have an owner that
		// is gone, and a human has to give them up (N10).
		return !f.Volumes && !f.allRunning() || f.lacksCopies() || f.Replicas() == 0 && f.anyLost()
	}
	return false
}

// lacksCopies reports whether a shard has lost a volume, has no primary yet, and
// nothing on any other disk, so that its replicas' memory is all there is of its
// data.
func (f *Fleet) lacksCopies() bool {
	for _, n := range f.nodes {
		n.wiped = n.wiped && f.primaryOf(n.Shard) == nil
		if n.wiped && !f.savedIn(n.Shard) {
			return true
		}
	}
	return false
}

func (f *Fleet) savedIn(shard int) bool {
	for _, n := range f.nodes {
		for key := range f.load.kept {
			if n.Shard == shard && n.server.Saved(key) != "" {
				return true
			}
		}
	}
	return false
}
