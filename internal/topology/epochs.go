package topology

import (
	"cmp"
	"fmt"
	"slices"
)

// room is how many servers a shard may get beside its first one before no epoch
// below the first one's is left.
const room = 8

// epochs gives every new server a configuration epoch that no other has, while
// that is possible: before it knows anybody. Servers that meet with equal ones,
// which all have at first, settle that between them by taking new epochs, and
// may take equal ones again.
//
// The first server of a shard gets the highest, because it becomes the primary:
// 9.1 may go on taking a replica for a primary that was one with a higher epoch
// than its own primary's, until [raise] mends that.
func epochs(p *pass) {
	if !slices.ContainsFunc(p.members, p.lacksEpoch) {
		return
	}
	taken := p.epochsOfPrimaries()
	for _, s := range p.shards {
		for _, m := range p.newcomers(s) {
			epoch := p.newEpoch(s, taken)
			taken[epoch] = true
			m.given = epoch
			p.act(SetEpoch{
				Why:    Why{ReasonJoining, fmt.Sprintf("giving %s configuration epoch %d", m.Name, epoch), s.index},
				Target: m.target(),
				Epoch:  epoch,
			})
		}
	}
}

// newcomers are the members of s that lack an epoch, those that have been up for
// longer first.
func (p *pass) newcomers(s shard) []*member {
	var first, later []*member
	for _, m := range s.members {
		switch {
		case !p.lacksEpoch(m):
		case m.longUp():
			first = append(first, m)
		default:
			later = append(later, m)
		}
	}
	return append(first, later...)
}

// newEpoch returns an epoch that is not taken: the highest one below those of
// the primaries of s, or for the first of a shard one above all that others
// begin with.
func (p *pass) newEpoch(s shard, taken map[uint64]bool) uint64 {
	if ceiling := p.ceiling(s); ceiling > 0 {
		for epoch := ceiling - 1; epoch > 0; epoch-- {
			if !taken[epoch] {
				return epoch
			}
		}
	}
	epoch := p.firstEpoch(s.index)
	if !p.attributed().IsEmpty() {
		epoch = max(epoch, p.highestEpoch()+uint64(len(p.shards))+1) // elections that are going on take the next ones
	}
	for taken[epoch] {
		epoch++
	}
	return epoch
}

// ceiling is what the epoch of a newcomer to s has to be below: the lowest that a
// primary of s has or is given, or, where a primary does not answer or is yet to
// be elected, what first servers begin with. It is 0 for the first of a shard.
func (p *pass) ceiling(s shard) uint64 {
	var lowest uint64
	old := false
	for _, m := range s.members {
		switch {
		case m.Server == nil:
			old = old || m.Last.ID != ""
		case m.Server.Role == RoleReplica:
			old = true
		case m.Server.Role == RolePrimary:
			if epoch := cmp.Or(m.given, m.Server.Epoch); epoch > 0 && (lowest == 0 || epoch < lowest) {
				lowest = epoch
			}
		}
	}
	if lowest == 0 && old {
		return p.firstEpoch(0)
	}
	return lowest
}

// firstEpoch is what the first server of a shard of a new cluster is given.
func (p *pass) firstEpoch(shard int) uint64 {
	return uint64(room*len(p.shards) + shard + 1) //nolint:gosec // not negative
}

// epochsOfPrimaries are the epochs that a new server must not have: only those
// of primaries are compared.
func (w *world) epochsOfPrimaries() map[uint64]bool {
	taken := map[uint64]bool{}
	for _, m := range w.members {
		if m.Server != nil && m.Server.Role == RolePrimary {
			taken[m.Server.Epoch] = true
		}
	}
	for _, v := range w.views {
		for i := range v.Peers {
			if v.Peers[i].Role == RolePrimary {
				taken[v.Peers[i].Epoch] = true
			}
		}
	}
	return taken
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

// raise gives a primary a higher epoch where somebody goes on taking one of its
// replicas for a primary, because it knows that one by an epoch above its
// primary's and holds all that it says for old. Nobody votes on such an epoch,
// so it is taken only while all agree on who is alive, by one primary at a time.
func raise(p *pass) {
	if len(p.missing()) > 0 || p.doubted() {
		return
	}
	for _, s := range p.shards {
		primary := s.primary()
		if primary == nil || !primary.Server.Serving || !p.upToDate(primary) {
			continue
		}
		for _, m := range s.members {
			if m.Server != nil && m.Server.Role == RoleReplica && m.inSyncWith(primary) && p.disbelieved(m, primary) {
				p.act(Raise{
					Why:    Why{ReasonRaising, fmt.Sprintf("giving %s a higher configuration epoch, because %s is still taken for a primary", primary.Name, m.Name), s.index},
					Target: primary.target(),
				})
				return
			}
		}
	}
}

// disbelieved reports whether anybody takes replica for a primary with a higher
// epoch than its primary has. One who has not heard yet of an epoch that the
// primary has does not count.
func (p *pass) disbelieved(replica, primary *member) bool {
	return slices.ContainsFunc(p.views, func(v *View) bool {
		seen, known := v.Peer(replica.Server.ID)
		return known && seen.Role == RolePrimary && seen.Slots.IsEmpty() && seen.Epoch > primary.Server.Epoch
	})
}

// doubted reports whether anybody holds anybody for failed, or fears so.
func (w *world) doubted() bool {
	return slices.ContainsFunc(w.views, func(v *View) bool {
		return slices.ContainsFunc(v.Peers, func(p Peer) bool { return p.Failed || p.Suspect })
	})
}
