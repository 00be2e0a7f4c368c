package topology

import "fmt"

// Nobody is the ID of no server. A server whose identity was lost names it as
// its primary: the pod's start gave it a new ID and kept its data, and it serves
// nobody and changes nothing until it is told whose replica to be (N9).
const Nobody NodeID = "0000000000000000000000000000000000000000"

// lost reports whether m's server has lost who it was.
func (m *member) lost() bool {
	return m.Server != nil && m.Server.Role == RoleReplica && m.Server.Primary == Nobody
}

func (s shard) hasLost() bool {
	for _, m := range s.members {
		if m.lost() {
			return true
		}
	}
	return false
}

// superseded reports whether it is proven that nothing is lost with m's data:
// there is none, or a primary that serves went on from there, whichever shard it
// is of. Having had the same data once is not enough: m may have written more.
func (p *pass) superseded(m *member) bool {
	if m.Server.Loading {
		return false
	}
	if m.Server.Keys == 0 {
		return true
	}
	for _, owner := range p.members {
		if owner != m && owner.ownsSlots() && owner.Server.Stream.continues(m.Server.origin()) {
			return true
		}
	}
	return false
}

// origin is the point at which s read its data. A primary begins a history of
// its own there, and is no more at that point once it has written.
func (s *Server) origin() Stream {
	switch {
	case s.Role == RoleReplica:
		return s.Stream
	case s.Stream.Offset == s.Stream.PastEnd:
		return Stream{History: s.Stream.Past, Offset: s.Stream.PastEnd}
	}
	return Stream{}
}

// continues reports whether old is a point that s has passed. A server that
// never had a replica has an offset of 0, which says nothing.
func (s Stream) continues(old Stream) bool {
	if old.History == "" || old.Offset == 0 {
		return false
	}
	return old.History == s.History && old.Offset <= s.Offset ||
		old.History == s.Past && old.Offset <= s.PastEnd
}

// claimsOfOthers reports whether m came alone, with slots that others say to be
// somebody else's, as a server does that has data and no nodes.conf. Once it is
// introduced it loses these slots, and its keys with them.
func (p *pass) claimsOfOthers(m *member) bool {
	if !m.ownsSlots() || !m.alone() || m.Server.Epoch != 0 {
		return false
	}
	for _, v := range p.views {
		for i := range v.Peers {
			if peer := &v.Peers[i]; peer.ID != m.Server.ID && !peer.Slots.Intersect(m.Server.Slots).IsEmpty() {
				return true
			}
		}
	}
	return false
}

// keepKeys says that m's keys would be gone if it joined, unless nothing is lost
// with them, and returns whether it said so (N10).
func (p *pass) keepKeys(m *member) bool {
	if p.superseded(m) {
		return false
	}
	p.blockOnce(Blocked{Human: true, Why: Why{ReasonUnexpectedKeys, fmt.Sprintf(
		"%s came without its nodes.conf and holds %d keys that no primary is known to have, so it does not join, because that would delete them; if they are not wanted, delete %s",
		m.Name, m.Server.Keys, m.storage()), m.Shard}})
	return true
}

// storage is what has to be deleted for m's data to be gone.
func (m *member) storage() string {
	if m.Volume {
		return fmt.Sprintf("the claim and the pod of %s", m.Name)
	}
	return fmt.Sprintf("the pod of %s", m.Name)
}
