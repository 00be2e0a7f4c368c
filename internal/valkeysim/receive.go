package valkeysim

import "github.com/valkey-operator/valkey-operator/internal/valkey"

// receive takes in one packet. Via is the node to whose address p made the
// connection, or nil when the sender made it.
func (p *process) receive(pk packet, via *node, answer func(packet)) {
	sender := p.find(pk.from)
	if via != nil && !via.handshake {
		if via.id != pk.from {
			p.mistaken(via)
			return
		}
		sender = via
	}
	if sender != nil && sender.handshake {
		sender = nil
	}
	if sender != nil && sender != p.self {
		p.noteEpochs(sender, pk)
		if via == nil {
			sender.heard = p.now()
		}
	}
	switch pk.kind {
	case ping, pong, meet:
		p.receiveGreeting(pk, sender, via, answer)
	default:
		if sender != nil {
			p.receiveNews(pk, sender)
		}
	}
}

// noteEpochs learns what every packet tells.
func (p *process) noteEpochs(sender *node, pk packet) {
	p.currentEpoch = max(p.currentEpoch, pk.currentEpoch)
	if !pk.replica {
		if pk.epoch > sender.epoch {
			sender.epoch = pk.epoch
		}
		p.currentEpoch = max(p.currentEpoch, pk.epoch)
	}
	sender.offset = pk.offset
	if pk.paused && p.self.replica && p.self.primary == sender.id {
		p.manual.told(pk.offset)
		p.electionCron()
	}
}

// mistaken notes that another server answers at via's address (facts 4).
func (p *process) mistaken(via *node) {
	via.addr, via.connected = noAddress, false
	if p.server.version.AtLeast(8, 1) && !via.failed {
		via.failed, via.suspect, via.failedAt = true, false, p.now()
		p.wakeElection()
	}
}

func (p *process) receiveGreeting(pk packet, sender, via *node, answer func(packet)) {
	if pk.kind != pong {
		p.receiveCall(pk, sender, answer)
	}
	if via != nil && via.handshake && !p.endHandshake(pk, sender, via) {
		return
	}
	if sender == nil && via != nil {
		sender = via
	}
	if sender == nil || sender == p.self {
		return
	}
	if pk.kind == ping && via == nil {
		p.noteAddress(sender, pk)
	}
	if via != nil && pk.kind == pong {
		p.noteAnswer(sender)
	}
	if !p.noteRole(sender, pk) {
		return
	}
	p.noteSlots(sender, pk, answer)
	p.noteCollision(sender, pk)
	p.noteGossip(sender, pk.gossip)
}

// receiveCall answers a server that made contact, known or not, and takes in
// one that asks for it.
func (p *process) receiveCall(pk packet, sender *node, answer func(packet)) {
	if pk.kind == meet || !p.self.addr.IsValid() {
		p.self.addr = p.server.Addr()
	}
	if pk.kind == meet && sender == nil && pk.from != p.self.id {
		p.handshakeWith(pk.at)
	}
	answer(p.greeting(pong, sender))
}

// endHandshake gives a node that was met its identity. It returns false when
// that is known already, at this or another address.
func (p *process) endHandshake(pk packet, sender, via *node) bool {
	if pk.from == p.self.id {
		p.drop(via)
		return false
	}
	if sender != nil {
		p.drop(via)
		p.moveTo(sender, pk)
		return false
	}
	p.rename(via, pk.from)
	via.handshake, via.meet = false, false
	via.replica, via.primary = pk.replica, p.knownPrimary(pk)
	return true // its epochs are noted from the next packet on
}

func (p *process) noteAnswer(n *node) {
	n.pong, n.pingSent, n.meet, n.connected = p.now(), 0, false, true
	n.suspect = false
	p.forgive(n)
}

// knownPrimary is whom the sender replicates, as far as p knows of that one.
func (p *process) knownPrimary(pk packet) valkey.NodeID {
	if p.find(pk.primary) == nil {
		return ""
	}
	return pk.primary
}

// noteRole learns whether the sender is a primary or whose replica. It returns
// false when it takes the packet for an old one.
func (p *process) noteRole(sender *node, pk packet) bool {
	if p.outranked(sender, pk) {
		return false
	}
	if sender.replica != pk.replica {
		sender.replica, sender.slots = pk.replica, noSlots
	}
	sender.primary = p.knownPrimary(pk)
	// A replica follows when its primary became a replica itself.
	if p.self.replica && p.self.primary == sender.id && sender.replica && sender.primary != p.self.id {
		if next := p.find(sender.primary); next != nil && !next.replica {
			p.follow(next)
		}
	}
	return true
}

// outranked reports whether p holds for old what a replica says of itself: 9.1
// does, where it knows the sender as a primary in the shard of the one that it
// replicates now, and by a higher epoch than that one's (facts 1). That comes
// from nodes.conf, and sometimes from what was said on two connections arriving
// in the wrong order.
func (p *process) outranked(sender *node, pk packet) bool {
	if !pk.replica || sender.replica {
		return false
	}
	primary := p.find(pk.primary)
	if primary == nil || !p.server.version.AtLeast(9, 1) || sender.epoch <= primary.epoch {
		return false
	}
	if sender.shard != primary.id && p.server.chance.IntN(misordered) == 0 {
		sender.shard = primary.id
	}
	return sender.shard == primary.id
}

// misordered is one in how many changes of a role arrive in the wrong order.
const misordered = 8

func (p *process) receiveNews(pk packet, sender *node) {
	switch pk.kind {
	case fail:
		if n := p.find(pk.about); n != nil && n != p.self && !n.failed {
			n.failed, n.suspect, n.failedAt = true, false, p.now()
			p.wakeElection()
		}
	case voteRequest:
		p.considerVote(sender, pk)
	case vote:
		p.countVote(sender, pk)
	case manualStart:
		p.startManual(sender)
	case update:
		p.noteUpdate(pk.owner)
	case forgotten:
		p.ban(pk.about)
	}
}

// ban forgets a node and does not listen to gossip about it for a while.
func (p *process) ban(id valkey.NodeID) {
	n := p.find(id)
	if id == p.self.id || p.self.replica && p.self.primary == id {
		return
	}
	p.banned[id] = p.now() + banTime
	if n != nil {
		p.drop(n)
	}
}
