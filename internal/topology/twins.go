package topology

import "fmt"

// twin is a member whose server has the ID of another one's.
type twin struct{ member, other *member }

// separate finds the servers that have one ID: the volume of one is a copy of
// the other's. Both may serve the same slots, everybody else sees them now here,
// now there, and a command for one may reach the other. What they say counts for
// nothing until only one is left (N3, N8).
func (w *world) separate() {
	first := map[NodeID]*member{}
	for _, m := range w.members {
		if m.Server == nil {
			continue
		}
		if other := first[m.Server.ID]; other != nil {
			w.twins = append(w.twins, twin{m, other})
			continue
		}
		first[m.Server.ID] = m
	}
	for _, t := range w.twins {
		t.member.silence(t.other)
	}
	for _, t := range w.twins {
		t.other.silence(t.member)
	}
}

// silence has m count as one that did not answer.
func (m *member) silence(other *member) {
	if m.Server == nil {
		return
	}
	m.Twin, m.Server = m.Server.ID, nil
	m.Unknown = fmt.Sprintf("its server has the same ID as that of %s", other.Name)
	if m.sharesAddress(other) {
		m.Unknown = fmt.Sprintf("its pod has the same address as that of %s", other.Name)
	}
}

// sharesAddress is true when one of the pods is gone, and Kubernetes has not
// noticed yet: the same server was asked twice.
func (m *member) sharesAddress(other *member) bool {
	return m.Pod != nil && other.Pod != nil && m.Pod.Addr == other.Pod.Addr
}

// oneOfTwins reports whether more than one server has that ID.
func (w *world) oneOfTwins(id NodeID) bool {
	for _, t := range w.twins {
		if t.other.Twin == id {
			return true
		}
	}
	return false
}

// tellTwins says which servers have one ID.
func (p *pass) tellTwins() {
	for _, t := range p.twins {
		if t.member.sharesAddress(t.other) {
			continue
		}
		p.block(Blocked{Human: true, Why: Why{ReasonTwins, fmt.Sprintf(
			"%s and %s both run server %s: the volume of one is a copy of the other's, and clients may have written to both; nothing is done with either until you delete %s or %s, whichever is the copy",
			t.other.Name, t.member.Name, t.other.Twin, t.other.storage(), t.member.storage()), t.member.Shard}})
	}
}
