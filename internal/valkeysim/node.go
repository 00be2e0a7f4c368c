package valkeysim

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/slots"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// instant is a point in time; 0 is never.
type instant = time.Duration

// node is what one server knows of another, or of itself.
type node struct {
	id        valkey.NodeID
	addr      netip.AddrPort // not valid once the address is lost
	handshake bool           // met, and its ID made up
	meet      bool           // greeted with MEET on the next contact
	replica   bool
	primary   valkey.NodeID // whom a replica replicates
	shard     valkey.NodeID // the primary of the shard that it was last known to replicate in
	slots     slots.Set     // of a primary
	epoch     uint64
	suspect   bool // fail?
	failed    bool // fail
	failedAt  instant
	// reports are the primaries that say it does not answer, and when.
	reports map[valkey.NodeID]instant

	created   instant
	pingSent  instant // of a ping that is not answered yet
	tried     instant // the last attempt, answered or not
	pong      instant
	heard     instant // last contact that it made itself
	connected bool
	offset    int64
	voted     instant // last vote about this primary
}

// saved is what nodes.conf keeps of n.
func (n *node) saved() node {
	return node{
		id: n.id, addr: n.addr, replica: n.replica, primary: n.primary, shard: n.shard, slots: n.slots, epoch: n.epoch,
		suspect: n.suspect, failed: n.failed,
	}
}

// votes reports whether n counts in majorities.
func (n *node) votes() bool { return !n.replica && !n.slots.IsEmpty() }

// find returns what p knows of id, or nil.
func (p *process) find(id valkey.NodeID) *node {
	i, found := slices.BinarySearchFunc(p.nodes, id, compareID)
	if !found {
		return nil
	}
	return p.nodes[i]
}

func compareID(n *node, id valkey.NodeID) int { return strings.Compare(string(n.id), string(id)) }

func (p *process) add(n *node) {
	if n.reports == nil {
		n.reports = map[valkey.NodeID]instant{}
	}
	n.created, n.heard = p.now(), p.now()
	i, found := slices.BinarySearchFunc(p.nodes, n.id, compareID)
	if found {
		panic("valkeysim: two nodes with one ID")
	}
	p.nodes = slices.Insert(p.nodes, i, n)
}

// drop removes n and what it reported of others.
func (p *process) drop(n *node) {
	p.nodes = slices.DeleteFunc(p.nodes, func(o *node) bool { return o == n })
	for _, o := range p.nodes {
		delete(o.reports, n.id)
	}
}

// rename gives n the ID that it turned out to have.
func (p *process) rename(n *node, id valkey.NodeID) {
	p.nodes = slices.DeleteFunc(p.nodes, func(o *node) bool { return o == n })
	n.id = id
	i, _ := slices.BinarySearchFunc(p.nodes, id, compareID)
	p.nodes = slices.Insert(p.nodes, i, n)
}

func (p *process) knows(n *node) bool { return p.find(n.id) == n }

// shardOf is the primary of n's shard as p knows it: n itself, the one that it
// replicates, or nil.
func (p *process) shardOf(n *node) *node {
	if !n.replica {
		return n
	}
	return p.find(n.primary)
}

// newID draws a node ID.
func (s *Server) newID() valkey.NodeID {
	const digits = "0123456789abcdef"
	id := make([]byte, 40)
	for i := range id {
		id[i] = digits[s.chance.IntN(len(digits))]
	}
	return valkey.NodeID(id)
}
