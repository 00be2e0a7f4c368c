package topology

import "fmt"

// failOver has the best replica of a dead primary elected at once, where the
// servers themselves would need seconds to notice, or would not try. It is
// still their vote. The server that is told to take over compares no data, so
// that is done here.
func failOver(p *pass) {
	for _, s := range p.shards {
		id := p.orphaned(s)
		why := p.dead(s, id)
		best := p.heir(id, p.fenced(id) != "", (*pass).electable)
		if why == "" || best == nil || !p.canVote(best) {
			continue
		}
		p.act(FailOver{
			Why:    Why{ReasonFailingOver, fmt.Sprintf("%s; failing shard %d over to %s", why, s.index, best.Name), s.index},
			Target: best.target(),
		})
	}
}

// orphaned returns the ID of the primary that the replicas of s wait for in
// vain: by their word it owns slots, and no server answers that owns any of s.
// It returns "" when there is none.
func (p *pass) orphaned(s shard) NodeID {
	if len(s.owners()) > 0 {
		return ""
	}
	for _, replica := range s.members {
		if replica.Server == nil || replica.Server.Role != RoleReplica {
			continue
		}
		primary, known := replica.Server.View.Peer(replica.Server.Primary)
		if m := p.byID[primary.ID]; known && !p.oneOfTwins(primary.ID) && !primary.Slots.IsEmpty() && (m == nil || !m.ownsSlots()) {
			return primary.ID
		}
	}
	return ""
}

// dead says why it is certain that server id has ended (N11); "" when it is
// not.
func (p *pass) dead(s shard, id NodeID) string {
	if id == "" {
		return ""
	}
	if why := p.fenced(id); why != "" {
		return why
	}
	for _, m := range s.members {
		if m.Died && m.Pod != nil && p.knownAt(s, id, m) {
			return fmt.Sprintf("the server of %s is dead", m.Name)
		}
	}
	if p.replaced(s, id) {
		return fmt.Sprintf("server %s is gone", id)
	}
	return ""
}

// knownAt reports whether the replicas of s know server id at m's address.
func (p *pass) knownAt(s shard, id NodeID, m *member) bool {
	for _, replica := range s.members {
		if replica.Server == nil {
			continue
		}
		if peer, known := replica.Server.View.Peer(id); known && peer.Addr == m.Pod.Addr {
			return true
		}
	}
	return false
}

// replaced reports whether server id is failed by majority, and every wanted
// server answers with another ID, because a volume was lost. Replicas that were
// restarted since do not ask for votes by themselves.
func (p *pass) replaced(s shard, id NodeID) bool {
	if len(p.missing()) > 0 || p.byID[id] != nil {
		return false
	}
	for _, replica := range s.members {
		if replica.Server == nil || replica.Server.Primary != id {
			continue
		}
		if peer, known := replica.Server.View.Peer(id); known && peer.Failed {
			return true
		}
	}
	return false
}

// heir returns the replica of id that has most of its data, of those that may
// inherit. There is none while a replica still has its link, for then the
// primary may live after all; unless its end is sure: a connection to a machine
// that is gone stays until somebody misses an answer. There is none either when
// histories differ, for then offsets cannot be compared. Of equals the one with
// the lowest ID inherits: so the pod of a killed primary decides too, if it
// comes at the same moment.
func (p *pass) heir(id NodeID, sure bool, may func(*pass, *member) bool) *member {
	if id == "" {
		return nil
	}
	var best *member
	history := ""
	for _, m := range p.followers[id] {
		link := m.Server.Link
		if link.Up && !sure {
			return nil
		}
		if !link.HoldsData || link.Syncing || m.Server.Loading || m.Deleting || !may(p, m) {
			continue
		}
		if history == "" {
			history = link.History
		}
		if link.History != history {
			return nil
		}
		if best == nil || link.Offset > best.Server.Link.Offset ||
			link.Offset == best.Server.Link.Offset && m.Server.ID < best.Server.ID {
			best = m
		}
	}
	return best
}
