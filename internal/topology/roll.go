package topology

import (
	"fmt"
	"slices"
)

// roll brings one outdated pod after the other to the wanted template. Nothing
// else may be going on (N6). Replicas go first; a primary hands over to an
// in-sync replica and then goes as a replica.
func roll(p *pass) {
	if m := p.inFlight(); m != nil {
		p.continueRoll(m)
		return
	}
	for _, s := range p.shards {
		m := s.nextToRoll(p.want.Inputs)
		switch {
		case m == nil:
		case p.mayDisrupt(s.index):
			p.rollMember(s, m)
			return
		case p.sick[s.index]:
			p.say(Blocked{Why: Why{ReasonReplacing, fmt.Sprintf(
				"%s has an outdated pod, which is replaced when shard %d is well", m.Name, s.index), s.index}})
		default:
			p.wait(ReasonReplacing, s.index, fmt.Sprintf(
				"%s has an outdated pod, which is replaced when nothing else is going on", m.Name))
			return
		}
	}
}

// inFlight returns the member whose pod the node controller is free to
// replace, or nil.
func (p *pass) inFlight() *member {
	for _, m := range p.members {
		if m.rolling() {
			return m
		}
	}
	return nil
}

// continueRoll waits for a replacement that was begun; if the user changed the
// inputs meanwhile, the same pod is given the newer ones.
func (p *pass) continueRoll(m *member) {
	if m.wanted && m.Template != p.want.Inputs {
		p.replace(m, fmt.Sprintf("replacing the outdated pod of %s by what is wanted now", m.Name))
		return
	}
	p.wait(ReasonReplacing, m.Shard, fmt.Sprintf("the pod of %s is being replaced", m.Name))
}

// nextToRoll returns the member of s whose pod is outdated and goes first:
// replicas from the last index down, then the primary.
func (s shard) nextToRoll(inputs string) *member {
	var next *member
	for _, m := range s.members {
		if !m.wanted || m.Deleting || !m.outdated(inputs) {
			continue
		}
		if next == nil || next.isPrimary() || !m.isPrimary() {
			next = m
		}
	}
	return next
}

func (m *member) outdated(inputs string) bool {
	return m.Template != inputs || (m.Pod != nil && m.Pod.Template != inputs)
}

// rolling reports whether the node controller is free to replace m's pod.
func (m *member) rolling() bool {
	return m.Pod != nil && m.Template != m.Pod.Template && (m.Guard == Guard{} || m.Guard == m.guard())
}

func (m *member) isPrimary() bool { return m.Server != nil && m.Server.Role == RolePrimary }

func (p *pass) rollMember(s shard, m *member) {
	if !m.isPrimary() {
		p.replace(m, fmt.Sprintf("replacing the outdated pod of %s", m.Name))
		return
	}
	best := s.bestReplica(m)
	if best != nil && !p.canVote(best) {
		p.wait(ReasonHandingOver, s.index, fmt.Sprintf(
			"%s has an outdated pod and cannot hand shard %d over, because too few primaries answer to vote", m.Name, s.index))
		return
	}
	if best != nil {
		p.act(HandOver{
			Why: Why{ReasonHandingOver, fmt.Sprintf(
				"handing shard %d over from %s to %s before the pod of %s is replaced", s.index, m.Name, best.Name, m.Name), s.index},
			Target: best.target(),
		})
		return
	}
	if m.Volume || m.Server.Keys == 0 {
		p.replace(m, fmt.Sprintf("replacing the outdated pod of %s, which has no replica", m.Name))
		return
	}
	if p.accepted(m.Server.Slots) {
		p.replace(m, fmt.Sprintf("replacing the outdated pod of %s, the loss of whose keys was accepted", m.Name))
		return
	}
	p.block(Blocked{Human: true, Why: Why{ReasonDataWithoutCopy, fmt.Sprintf(
		"%s has an outdated pod and the only copy of %d keys, without a replica or a volume; it is not replaced; if the keys are not needed, annotate this cluster with %s",
		m.Name, m.Server.Keys, p.acceptance(m.Server.Slots)), s.index}})
}

func (p *pass) replace(m *member, message string) {
	p.act(Roll{Why: Why{ReasonReplacing, message, m.Shard}, Target: m.target(), Guard: m.guard()})
}

// bestReplica returns the in-sync replica of primary that got furthest in the
// replication stream.
func (s shard) bestReplica(primary *member) *member {
	var best *member
	for _, m := range s.members {
		if m.Deleting || !m.inSyncWith(primary) {
			continue
		}
		if best == nil || m.Server.Link.Offset > best.Server.Link.Offset {
			best = m
		}
	}
	return best
}

// replaceStopped replaces outdated pods in which certainly no server runs, so
// that a bad template can be taken back (A4). It needs no quiet cluster,
// because it takes nothing away.
func replaceStopped(p *pass) {
	for _, m := range p.members {
		if !m.wanted || m.Deleting || !m.outdated(p.want.Inputs) || (m.rolling() && m.Template == p.want.Inputs) {
			continue
		}
		if m.Pod == nil || (m.Pod.Stopped && !m.Pod.Terminating && p.losesNothing(m)) {
			p.replace(m, fmt.Sprintf("replacing the outdated pod of %s, in which no server runs", m.Name))
		}
	}
}

// losesNothing reports whether no data can be lost with m's stopped pod: it is
// on a volume, was never there, or an in-sync copy serves the shard (N2).
func (p *pass) losesNothing(m *member) bool {
	if m.Volume || !m.Pod.Ran {
		return true
	}
	return m.Shard < len(p.shards) && slices.ContainsFunc(p.shards[m.Shard].members, func(o *member) bool {
		return o != m && o.ownsSlots()
	})
}
