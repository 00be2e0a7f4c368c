package topology

import "fmt"

// replicate makes every server that is no primary a replica of its shard's
// primary.
func replicate(p *pass) {
	for _, s := range p.shards {
		primary := s.primary()
		if primary == nil {
			continue
		}
		for _, m := range s.members {
			if m != primary && m.wanted && m.Server != nil {
				p.attach(m, primary)
			}
		}
	}
}

func (p *pass) attach(m, primary *member) {
	switch {
	case m.Server.Role == RoleReplica && m.Server.Primary == primary.Server.ID:
	case m.lost() && m.Server.Loading:
		p.wait(ReasonSyncing, m.Shard, fmt.Sprintf("%s is loading its data before it becomes a replica of %s", m.Name, primary.Name))
	case m.lost() && p.keepKeys(m):
	case m.Server.Role == RoleReplica || m.blank():
		if _, known := m.Server.View.Peer(primary.Server.ID); !known {
			return // meet introduces them first
		}
		p.act(Replicate{
			Why:     Why{ReasonReplicating, fmt.Sprintf("making %s a replica of %s", m.Name, primary.Name), m.Shard},
			Target:  m.target(),
			Primary: primary.Server.ID,
		})
	case m.Server.Loading:
		p.wait(ReasonSyncing, m.Shard, fmt.Sprintf("%s is loading its data before it becomes a replica of %s", m.Name, primary.Name))
	default:
		p.block(Blocked{Human: true, Why: Why{ReasonUnexpectedKeys, fmt.Sprintf(
			"%s holds %d keys and no slots, so it is not made a replica of %s, which would delete them; if they are not wanted, delete %s",
			m.Name, m.Server.Keys, primary.Name, m.storage()), m.Shard}})
	}
}
