package valkeysim

import (
	"time"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// process is one run of a server.
type process struct {
	server  *Server
	started instant
	loaded  instant
	hangs   bool
	runID   valkey.NodeID

	self         *node
	nodes        []*node // sorted by ID, self included
	banned       map[valkey.NodeID]instant
	currentEpoch uint64
	lastVote     uint64
	ok           bool    // cluster_state
	minority     instant // when it last saw itself in a minority
	nodeTimeout  time.Duration
	election     election
	manual       manual

	stream stream
	link   link // to the primary, of a replica
	ticks  int
	held   []*heldConn
}

func newProcess(s *Server) *process {
	p := &process{
		server:      s,
		started:     s.world.now,
		loaded:      s.world.now,
		runID:       s.newID(),
		banned:      map[valkey.NodeID]instant{},
		nodeTimeout: s.world.options.NodeTimeout,
		stream:      newStream(s),
	}
	p.restore(s.disk)
	if p.self == nil { // facts 10: without nodes.conf a new identity
		p.self = &node{id: s.newID()}
		p.add(p.self)
	}
	if s.disk.data != nil {
		p.loaded += s.world.options.Load
	}
	p.self.suspect, p.self.failed = false, false
	if !p.self.replica {
		p.stream.promote(s) // facts 8: a primary begins a history at its old offset
		p.claimKeys()
	}
	return p
}

func (p *process) now() instant { return p.server.world.now }

func (p *process) loading() bool { return p.now() < p.loaded }

func (p *process) alive() bool { return p.server.process == p }

const tick = 100 * time.Millisecond

// schedule makes p's regular work begin, somewhere within the first tick.
func (p *process) schedule() {
	p.server.after(time.Duration(p.server.chance.Int64N(int64(tick))), p.cron)
}

// cron is the regular work, ten times a second. A server that loads its data
// or hangs does none.
func (p *process) cron() {
	if !p.alive() {
		return
	}
	p.server.after(tick, p.cron)
	if p.hangs || p.loading() {
		return
	}
	p.ticks++
	p.endHandshakes()
	p.contact()
	p.suspectSilent()
	p.manualCron()
	p.electionCron()
	p.replicationCron()
	p.judgeState()
}

// endHandshakes drops nodes that were met and never answered (facts 1).
func (p *process) endHandshakes() {
	limit := max(p.nodeTimeout, time.Second)
	for _, n := range p.others() {
		if n.handshake && p.now()-n.created > limit {
			p.drop(n)
		}
	}
}

// others are all nodes but p itself, as a list that may be walked while the
// nodes change.
func (p *process) others() []*node {
	others := make([]*node, 0, len(p.nodes))
	for _, n := range p.nodes {
		if n != p.self {
			others = append(others, n)
		}
	}
	return others
}
