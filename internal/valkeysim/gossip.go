package valkeysim

import (
	"net/netip"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

var (
	noAddress netip.AddrPort
	noSlots   slots.Set
)

// banTime is cluster-blacklist-ttl (facts 5).
const banTime = time.Minute

// handshakeWith begins to get to know whoever is at addr.
func (p *process) handshakeWith(addr netip.AddrPort) {
	for _, n := range p.nodes {
		if n.handshake && n.addr == addr {
			return
		}
	}
	p.add(&node{id: p.server.newID(), addr: addr, handshake: true, meet: true})
}

// noteGossip learns of nodes, and of doubts about nodes, from others.
func (p *process) noteGossip(sender *node, rumours []rumour) {
	for _, r := range rumours {
		n := p.find(r.id)
		switch {
		case n == p.self:
		case n != nil:
			p.noteRumour(sender, n, r)
		case p.banned[r.id] <= p.now():
			p.add(&node{id: r.id, addr: r.addr, replica: r.replica})
		}
	}
}

func (p *process) noteRumour(sender, n *node, r rumour) {
	if sender.votes() {
		if r.failing {
			n.reports[sender.id] = p.now()
			p.failByMajority(n)
		} else {
			delete(n.reports, sender.id)
		}
	}
	if !r.failing && n.pingSent == 0 && len(n.reports) == 0 && r.pong > n.pong && r.pong <= p.now() {
		n.pong = r.pong
	}
	if (n.suspect || n.failed) && !r.failing && r.addr.IsValid() && r.addr != n.addr {
		p.setAddress(n, r.addr)
	}
}

// noteAddress learns an address from where a packet comes from (facts 4).
func (p *process) noteAddress(sender *node, pk packet) {
	if sender.addr != pk.at {
		p.setAddress(sender, pk.at)
	}
}

func (p *process) moveTo(sender *node, pk packet) {
	if sender.addr != pk.at {
		p.setAddress(sender, pk.at)
	}
}

func (p *process) setAddress(n *node, addr netip.AddrPort) {
	n.addr, n.connected = addr, false
	if p.self.replica && p.self.primary == n.id {
		p.link.to(p, addr)
	}
}
