package valkeysim

import (
	"github.com/valkey-operator/valkey-operator/internal/slots"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// noteSlots compares what the sender says of its shard's slots with what is
// known. The higher configuration epoch is right; a sender that is behind is
// told so.
func (p *process) noteSlots(sender *node, pk packet, answer func(packet)) {
	primary := p.shardOf(sender)
	if primary == nil || primary.slots.Equal(pk.slots) {
		return
	}
	if !sender.replica {
		p.claim(sender, pk.epoch, pk.slots)
	}
	for _, n := range p.nodes {
		if n != sender && n != primary && n.epoch > pk.epoch && !n.slots.Intersect(pk.slots).IsEmpty() {
			up := p.packet(update)
			up.owner = n.saved()
			answer(up)
			if !sender.handshake {
				p.send(sender, up)
			}
			return
		}
	}
}

// claim gives slots to owner in p's view, as far as its epoch is higher than
// that of whoever has them. A server that loses its last slots to one other
// becomes its replica.
func (p *process) claim(owner *node, epoch uint64, claimed slots.Set) {
	if owner == p.self {
		return
	}
	mine := p.shardOf(p.self)
	var taken slots.Set
	for _, n := range p.nodes {
		if n == owner || n.slots.IsEmpty() {
			continue
		}
		lost := n.slots.Intersect(claimed)
		if lost.IsEmpty() {
			continue
		}
		if n.epoch >= epoch {
			claimed = claimed.Minus(lost)
			continue
		}
		n.slots = n.slots.Minus(lost)
		if n == mine {
			taken = lost
		}
	}
	owner.slots = owner.slots.Union(claimed)
	switch {
	case taken.IsEmpty():
	case mine.slots.IsEmpty() && owner.slots.Equal(taken):
		p.follow(owner) // cluster-allow-replica-migration no: only with all of them
		p.broadcast(p.greeting(pong, nil))
	case mine == p.self && p.server.version.AtLeast(8, 1): // facts 10
		p.stream.dropSlots(taken)
	}
}

// claimKeys takes the slots of all keys that nobody owns (facts 10).
func (p *process) claimKeys() {
	var owned, held slots.Set
	for _, n := range p.nodes {
		owned = owned.Union(n.slots)
	}
	for key := range p.stream.keys {
		held = held.Union(slots.Of(slots.Range{First: slots.KeySlot(key), Last: slots.KeySlot(key)}))
	}
	p.self.slots = p.self.slots.Union(held.Minus(owned))
}

// noteUpdate learns of a newer owner from a third node.
func (p *process) noteUpdate(owner node) {
	n := p.find(owner.id)
	if n == nil || n == p.self || owner.epoch <= n.epoch && n.slots.Equal(owner.slots) || owner.epoch < n.epoch {
		return
	}
	n.replica, n.primary, n.epoch = false, "", owner.epoch
	p.claim(n, owner.epoch, owner.slots)
}

// noteCollision resolves two primaries with one epoch, also those without slots
// that all begin with 0: the one with the lower ID takes a new epoch.
func (p *process) noteCollision(sender *node, pk packet) {
	if p.self.replica || sender.replica || pk.epoch != p.self.epoch || sender.id <= p.self.id {
		return
	}
	p.server.world.collisions++
	p.currentEpoch++
	p.self.epoch = p.currentEpoch
}

// follow makes p a replica of primary.
func (p *process) follow(primary *node) {
	p.self.replica, p.self.primary, p.self.slots = true, primary.id, noSlots
	p.link.to(p, primary.addr)
	p.manual.reset()
	p.election.reset()
}

// promote makes p the primary of its shard, with all its slots.
func (p *process) promote(old *node) {
	p.self.replica, p.self.primary = false, valkey.NodeID("")
	p.self.slots, old.slots = p.self.slots.Union(old.slots), noSlots
	p.link.close(p)
	p.stream.promote(p.server)
	p.manual.reset()
	p.election.reset()
	p.broadcast(p.greeting(pong, nil))
}
