package valkeysim

import (
	"net/netip"
	"slices"

	"github.com/valkey-operator/valkey-operator/internal/slots"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

type kind int

const (
	ping kind = iota
	pong
	meet
	fail
	voteRequest
	vote
	manualStart
	update
	forgotten
)

// packet is one message of the cluster bus. Every packet tells about its
// sender; slots and epoch are those of its shard.
type packet struct {
	kind         kind
	from         valkey.NodeID
	at           netip.AddrPort // where it comes from
	replica      bool
	primary      valkey.NodeID
	slots        slots.Set
	epoch        uint64
	currentEpoch uint64
	offset       int64
	paused       bool // a primary that holds back writes for a manual failover
	gossip       []rumour
	about        valkey.NodeID // fail, forgotten
	owner        node          // update
	forced       bool          // vote request of a manual failover
}

// rumour is what a sender says about a third node.
type rumour struct {
	id      valkey.NodeID
	addr    netip.AddrPort
	failing bool
	replica bool
	pong    instant
}

func (p *process) packet(k kind) packet {
	pk := packet{
		kind: k, from: p.self.id, at: p.server.Addr(), replica: p.self.replica, primary: p.self.primary,
		currentEpoch: p.currentEpoch, offset: p.stream.offset,
		paused: p.manual.clientsHeld(p.now()) && !p.self.replica,
	}
	if shard := p.shardOf(p.self); shard != nil {
		pk.slots, pk.epoch = shard.slots, shard.epoch
	}
	return pk
}

// greeting is a packet with gossip about a few nodes, and about all that do not
// answer.
func (p *process) greeting(k kind, to *node) packet {
	pk := p.packet(k)
	var known []*node
	for _, n := range p.nodes {
		switch {
		case n == p.self || n == to || n.handshake || !n.addr.IsValid():
		case n.suspect:
			pk.gossip = append(pk.gossip, rumourOf(n))
		default:
			known = append(known, n)
		}
	}
	p.server.chance.Shuffle(len(known), func(i, j int) { known[i], known[j] = known[j], known[i] })
	for _, n := range known[:min(len(known), max(3, len(p.nodes)/10))] {
		pk.gossip = append(pk.gossip, rumourOf(n))
	}
	return pk
}

func rumourOf(n *node) rumour {
	return rumour{id: n.id, addr: n.addr, failing: n.suspect || n.failed, replica: n.replica, pong: n.pong}
}

// send delivers pk to n's address on p's own connection. Only greetings make
// one; anything else, a vote too, is lost without.
func (p *process) send(n *node, pk packet) {
	if !n.addr.IsValid() || !n.connected && pk.kind != ping && pk.kind != meet {
		return
	}
	ip := n.addr.Addr()
	if p.server.world.refused(p.server, ip) {
		n.connected = false
		return
	}
	p.server.after(p.server.latency(), func() {
		if to := p.server.world.reach(p.server, ip); to != nil && !to.loading() && p.alive() {
			if p.knows(n) {
				n.connected = true
			}
			to.receive(pk, nil, func(answer packet) { to.reply(p, n, answer) })
		}
	})
}

// reply delivers an answer on the connection that p made to n.
func (from *process) reply(p *process, n *node, pk packet) {
	from.server.after(from.server.latency(), func() {
		if p.alive() && !p.hangs && from.alive() && !p.server.world.cut[p.server.with(from.server)] && p.knows(n) {
			p.receive(pk, n, func(packet) {})
		}
	})
}

func (p *process) broadcast(pk packet) {
	for _, n := range p.others() {
		if !n.handshake {
			p.send(n, pk)
		}
	}
}

// hungUp tells every process that gone's connections have ended.
func (w *World) hungUp(gone *process) {
	for _, s := range w.servers {
		if s.process == nil || w.cut[s.with(gone.server)] {
			continue
		}
		i := slices.IndexFunc(s.process.nodes, func(n *node) bool { return n.addr == gone.server.Addr() })
		if i >= 0 {
			s.process.nodes[i].connected = false
		}
	}
}
