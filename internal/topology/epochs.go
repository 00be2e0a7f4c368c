package topology

import (
	"fmt"
	"slices"
)

// epochs gives every new server a configuration epoch that no other has, while
// that is possible: before it knows anybody. Servers that meet with equal ones,
// which all have at first, settle that between them by taking new epochs, and
// may take equal ones again.
func epochs(p *pass) {
	if !slices.ContainsFunc(p.members, p.lacksEpoch) {
		return
	}
	next := p.highestEpoch()
	if !p.attributed().IsEmpty() {
		next += uint64(len(p.shards)) // elections that are going on take the next ones
	}
	for _, n := range p.want.Members {
		m := p.byName[n.Name]
		if m != nil && m.Server != nil && !p.lacksEpoch(m) {
			continue
		}
		next++ // also for one that does not answer yet
		if m != nil && m.Server != nil {
			p.act(SetEpoch{
				Why:    Why{ReasonJoining, fmt.Sprintf("giving %s configuration epoch %d", m.Name, next), n.Shard},
				Target: m.target(),
				Epoch:  next,
			})
		}
	}
}

// highestEpoch is the highest epoch that any server has heard of.
func (w *world) highestEpoch() uint64 {
	var highest uint64
	for _, m := range w.members {
		if m.Server != nil {
			highest = max(highest, m.Server.Epoch, m.Server.CurrentEpoch)
		}
	}
	return highest
}

// lacksEpoch reports whether m is wanted and its server can still be given an
// epoch of its own. One that claims what others own is given none: it has to
// lose these slots when it meets them.
func (p *pass) lacksEpoch(m *member) bool {
	return m.wanted && m.alone() && m.Server.Role == RolePrimary && m.Server.Epoch == 0 && !p.claimsOfOthers(m)
}
