package topology

import "fmt"

// release lets go of ValkeyNodes that somebody asked to delete, once nothing
// depends on them (N2): a primary hands over first, and its shard keeps a copy.
func release(p *pass) {
	for _, m := range p.members {
		if m.Deleting && m.Protected && p.mayDisrupt(m.Shard) {
			p.letGo(m)
		}
	}
}

func (p *pass) letGo(m *member) {
	var s shard
	if m.Shard >= 0 && m.Shard < len(p.shards) {
		s = p.shards[m.Shard]
	}
	switch primary := s.primary(); {
	case p.ownsNothing(m) && (primary != nil && !p.onlyCopy(m) || m.blank()):
		p.act(Release{Why: Why{ReasonReleasing, fmt.Sprintf("letting %s go, which owns no slots", m.Name), m.Shard}, Target: m.target()})
	case m == primary && s.bestReplica(m) != nil:
		best := s.bestReplica(m)
		p.act(HandOver{
			Why:    Why{ReasonHandingOver, fmt.Sprintf("handing shard %d over from %s to %s before %s is deleted", m.Shard, m.Name, best.Name, m.Name), m.Shard},
			Target: best.target(),
		})
	default:
		p.wait(ReasonReleasing, m.Shard, fmt.Sprintf(
			"%s is to be deleted and is kept, because no other server of shard %d is known to have its data", m.Name, m.Shard))
	}
}

// onlyCopy reports whether m lost its identity and may have data that nobody
// else has.
func (p *pass) onlyCopy(m *member) bool { return m.lost() && !p.superseded(m) }

// ownsNothing reports whether it is proven that m owns no slots: its own word
// when it answers, and otherwise that it never had a pod with a server.
func (p *pass) ownsNothing(m *member) bool {
	if m.Server != nil {
		return m.Server.Slots.IsEmpty()
	}
	return m.Pod == nil || (m.Pod.Stopped && !m.Pod.Ran && !m.Volume)
}
