package topology

import "fmt"

// failOver has the best replica of a dead primary elected at once, where the
// servers themselves would need seconds to notice. It is still their vote. The
// server that is told to take over compares no data, so that is done here.
func failOver(p *pass) {
	for _, s := range p.shards {
		if len(s.owners()) > 0 {
			continue
		}
		var why string
		dead, id := p.deadPrimary(s)
		if dead != nil {
			why = fmt.Sprintf("the server of %s is dead", dead.Name)
		} else if id = p.gonePrimary(s); id != "" {
			why = fmt.Sprintf("server %s is gone", id)
		}
		if best := p.heir(id); best != nil {
			p.act(FailOver{
				Why:    Why{ReasonFailingOver, fmt.Sprintf("%s; failing shard %d over to %s", why, s.index, best.Name), s.index},
				Target: best.target(),
			})
		}
	}
}

// gonePrimary returns the ID of the primary that the replicas of s wait for in
// vain: it is failed by majority, and every wanted server answers with another
// ID, because a volume was lost (N11). Replicas that were restarted since do not
// ask for votes by themselves.
func (p *pass) gonePrimary(s shard) NodeID {
	if len(p.missing()) > 0 {
		return ""
	}
	for _, replica := range s.members {
		if replica.Server == nil || replica.Server.Role != RoleReplica || p.byID[replica.Server.Primary] != nil {
			continue
		}
		if primary, known := replica.Server.View.Peer(replica.Server.Primary); known && primary.Failed && !primary.Slots.IsEmpty() {
			return primary.ID
		}
	}
	return ""
}

// deadPrimary returns the member of s whose server has ended and was the
// shard's primary by the word of its replicas, with the server's ID.
func (p *pass) deadPrimary(s shard) (*member, NodeID) {
	for _, replica := range s.members {
		if replica.Server == nil || replica.Server.Role != RoleReplica {
			continue
		}
		primary, known := replica.Server.View.Peer(replica.Server.Primary)
		if !known || primary.Slots.IsEmpty() {
			continue
		}
		for _, m := range s.members {
			if m.Died && m.Pod != nil && m.Pod.Addr == primary.Addr {
				return m, primary.ID
			}
		}
	}
	return nil, ""
}

// heir returns the replica of id that has most of its data. There is none while
// a replica still has its link (so the primary may live after all), and none
// when their histories differ, for then offsets cannot be compared.
func (p *pass) heir(id NodeID) *member {
	if id == "" {
		return nil
	}
	var best *member
	history := ""
	for _, m := range p.members {
		if m.Server == nil || m.Server.Primary != id {
			continue
		}
		link := m.Server.Link
		if link.Up {
			return nil
		}
		if link.Offset == 0 || link.Syncing || m.Server.Loading || m.Deleting || !p.electable(m) {
			continue
		}
		if history == "" {
			history = link.History
		}
		if link.History != history {
			return nil
		}
		if best == nil || link.Offset > best.Server.Link.Offset {
			best = m
		}
	}
	return best
}
