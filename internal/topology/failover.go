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
		dead, id := p.deadPrimary(s)
		if dead == nil {
			continue
		}
		if best := p.heir(id); best != nil {
			p.act(FailOver{
				Why: Why{ReasonFailingOver, fmt.Sprintf(
					"the server of %s is dead; failing shard %d over to %s", dead.Name, s.index, best.Name), s.index},
				Target: best.target(),
			})
		}
	}
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
		if link.Offset == 0 || link.Syncing || m.Server.Loading || m.Deleting {
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
