package topology

import (
	"fmt"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

// reclaim makes a server that lost its identity primary of its shard again, with
// its data, if that is the only copy and the server that it was is proven to
// have ended (N2, N11). Elsewhere a replica of the old one is elected first, and
// then the server becomes its replica. One shard at a time, so that no two
// choose the same epoch.
func reclaim(p *pass) {
	for _, s := range p.shards {
		if len(s.owners()) == 0 && s.hasLost() && !p.hasCopies(p.orphaned(s)) && p.reclaimShard(s) {
			return
		}
	}
}

// hasCopies reports whether any replica of server id has data, so that one of
// them is to be the next primary.
func (p *pass) hasCopies(id NodeID) bool {
	for _, m := range p.followers[id] {
		if m.Server.Keys > 0 || m.Server.Loading {
			return true
		}
	}
	return false
}

func (p *pass) reclaimShard(s shard) (acted bool) {
	if p.reclaimWaits(s) {
		return false
	}
	m := p.claimant(s)
	if m == nil {
		return false
	}
	if m.Server.Keys == 0 {
		p.act(TakeOver{
			Why:    Why{ReasonForming, fmt.Sprintf("making %s, which has neither nodes.conf nor keys, a primary without slots", m.Name), s.index},
			Target: m.target(),
		})
		return true
	}
	set, why := p.formerSlots(s, m)
	if set.IsEmpty() {
		return false
	}
	if !p.upToDate(m) {
		p.waitToHear(m)
		return false
	}
	p.act(Reclaim{
		Why: Why{ReasonReclaiming, fmt.Sprintf("%s, and no other server of shard %d has its data; %s takes back slots %v with its %d keys",
			why, s.index, m.Name, set, m.Server.Keys), s.index},
		Target: m.target(),
		Slots:  set,
	})
	return true
}

// reclaimWaits reports, and says, that a server of the shard may have a better
// copy and cannot be asked yet (N3).
func (p *pass) reclaimWaits(s shard) bool {
	var missing []Name
	for _, name := range s.wanted {
		if m := p.byName[name]; m == nil || m.Server == nil {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		p.wait(ReasonWaitServers, s.index, fmt.Sprintf(
			"shard %d has no primary, and it is not known yet who has its data; waiting for %s", s.index, p.describe(missing)))
		return true
	}
	for _, m := range s.members {
		if m.Server != nil && m.Server.Loading {
			p.wait(ReasonSyncing, s.index, fmt.Sprintf("%s is loading its data", m.Name))
			return true
		}
	}
	return false
}

// claimant returns the member of s that has lost its identity and has all data
// that is left of the shard; nil, having said why, when that is not certain.
func (p *pass) claimant(s shard) *member {
	var best *member
	for _, m := range s.members {
		switch {
		case m.Server == nil || !m.lost() && m.Server.Keys == 0:
		case !m.lost():
			p.block(Blocked{Human: true, Why: Why{ReasonUnexpectedKeys, fmt.Sprintf(
				"shard %d has no primary, and %s holds %d keys and no slots; if they are not wanted, delete %s",
				s.index, m.Name, m.Server.Keys, m.storage()), s.index}})
			return nil
		case best == nil || best.Server.Keys == 0 || m.Server.Stream.continues(best.Server.Stream):
			best = m
		case m.Server.Keys == 0 || best.Server.Stream.continues(m.Server.Stream):
		default:
			p.block(Blocked{Human: true, Why: Why{ReasonUnexpectedKeys, fmt.Sprintf(
				"%s and %s of shard %d both came without their nodes.conf, and neither is known to have all data of the other; delete %s or %s, whichever is not wanted",
				best.Name, m.Name, s.index, best.storage(), m.storage()), s.index}})
			return nil
		}
	}
	return best
}

// formerSlots returns the slots that the servers had which members of s were
// when they answered last, and why those have ended. Where no server knows any
// owner of the slots that s was founded with, it is these. It is empty, having
// said why, when it is not certain that the old servers have ended, or whose the
// keys are.
func (p *pass) formerSlots(s shard, m *member) (slots.Set, string) {
	why, known := "no server knows an owner of its slots", slots.Set{}
	owned, strange := p.ownedByGone()
	for _, was := range s.members {
		id := was.Last.ID
		if id == "" || p.byID[id] != nil {
			continue
		}
		fence := p.fenced(id)
		if fence == "" && p.want.Vouched {
			fence = fmt.Sprintf("a human vouches that server %s is dead", id)
		}
		if fence == "" {
			p.askAbout(s, m, id)
			return slots.Set{}, ""
		}
		if set := owned[id]; !set.IsEmpty() {
			known, why = known.Union(set), fence
		}
	}
	if !known.IsEmpty() {
		return known.Minus(p.served()), why
	}
	founded := slots.Partition(p.want.Shards)[s.index]
	if founded.Intersect(p.attributed()).IsEmpty() {
		if p.foundingBlocked(founded) {
			return slots.Set{}, ""
		}
		return founded, why
	}
	if set := strange.Intersect(founded); !set.IsEmpty() {
		p.block(Blocked{Human: true, Why: Why{ReasonUnexpectedKeys, fmt.Sprintf(
			"%s came without its nodes.conf and holds %d keys, and slots %v are owned by a server that is not there and that no node is known to have run; if the keys are not wanted, delete %s",
			m.Name, m.Server.Keys, set, m.storage()), s.index}})
	}
	return slots.Set{}, ""
}

// ownedByGone returns the slots of each server that is no member's any more, and
// all slots of those that never were a member's, as far as is known.
func (p *pass) ownedByGone() (owned map[NodeID]slots.Set, strange slots.Set) {
	owned = map[NodeID]slots.Set{}
	for _, v := range p.views {
		for i := range v.Peers {
			peer := &v.Peers[i]
			if p.byID[peer.ID] != nil || peer.Slots.IsEmpty() {
				continue
			}
			owned[peer.ID] = owned[peer.ID].Union(peer.Slots)
			if p.last[peer.ID] == nil {
				strange = strange.Union(peer.Slots)
			}
		}
	}
	return owned, strange
}

// askAbout says what only a human can find out.
func (p *pass) askAbout(s shard, m *member, id NodeID) {
	p.wait(ReasonMajorityLost, s.index, fmt.Sprintf(
		"%s came without its nodes.conf, in another pod than its old server %s, which owned the slots of shard %d; "+
			"its data is kept and not served, because the old server may still be alive; if you know that it is not, "+
			"annotate this cluster with valkey.io/takeover-unfenced=true", m.Name, id, s.index))
}

func (p *pass) waitToHear(m *member) {
	p.wait(ReasonJoining, m.Shard, fmt.Sprintf("%s has not heard of everything yet that the other servers agreed on", m.Name))
}

// upToDate reports whether an epoch that m chooses is higher than every other,
// so that its claim wins.
func (p *pass) upToDate(m *member) bool {
	for _, v := range p.views {
		for i := range v.Peers {
			if v.Peers[i].Epoch > m.Server.CurrentEpoch {
				return false
			}
		}
	}
	for _, other := range p.members {
		if other.Server != nil && other.Server.CurrentEpoch > m.Server.CurrentEpoch {
			return false
		}
	}
	return true
}
