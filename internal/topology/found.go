package topology

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

// found gives slots that never had an owner to the shards that shall have
// them. It needs the word of every wanted server: a slot is free only if no
// view of any of them attributes it to anybody (N3, N10).
func found(p *pass) {
	free := slots.All().Minus(p.attributed())
	if free.IsEmpty() || p.foundingBlocked(free) {
		return
	}
	for i, part := range slots.Partition(p.want.Shards) {
		// The data of a server that lost its identity may be of these slots.
		if share := part.Intersect(free); !share.IsEmpty() && !p.shards[i].hasLost() {
			p.foundShard(p.shards[i], share)
		}
	}
}

func (p *pass) foundingBlocked(free slots.Set) bool {
	switch missing := p.missing(); {
	case len(missing) > 0:
		p.wait(ReasonWaitServers, WholeCluster, fmt.Sprintf(
			"%d slots have no owner; they are assigned once all %d servers answer; waiting for %s",
			free.Count(), len(p.want.Members), p.describe(missing)))
		return true
	case len(p.strays) > 0:
		p.block(Blocked{Human: true, Why: Why{ReasonStrayVolumes, fmt.Sprintf(
			"%d slots have no owner, and retained claims that this spec does not use may hold their data: %s; ask for the shards and replicas that they belong to, or delete them",
			free.Count(), strings.Join(p.strays, ", ")), WholeCluster}})
		return true
	}
	return false
}

func (p *pass) foundShard(s shard, share slots.Set) {
	owner := s.primary()
	if owner == nil {
		owner = s.founder()
	}
	if owner == nil {
		p.block(Blocked{Human: true, Why: Why{ReasonUnexpectedKeys, fmt.Sprintf(
			"shard %d has no server that is empty, so it is not given slots %v", s.index, share), s.index}})
		return
	}
	p.act(Claim{
		Why:    Why{ReasonForming, fmt.Sprintf("assigning slots %v to %s", share, owner.Name), s.index},
		Target: owner.target(),
		Slots:  share,
	})
}

// founder returns the empty server that is to be the first primary of the
// shard, or nil: the one with the highest epoch. A primary serves nothing in the
// first two seconds of its life, a replica does not matter so long, so that is
// the one that answered first.
func (s shard) founder() *member {
	var best *member
	for _, m := range s.members {
		if !m.wanted || !m.blank() {
			continue
		}
		if best == nil || m.precedes(best) {
			best = m
		}
	}
	return best
}

// precedes reports whether m founds a shard rather than other.
func (m *member) precedes(other *member) bool {
	a, b := cmp.Or(m.given, m.Server.Epoch), cmp.Or(other.given, other.Server.Epoch)
	return a > b || a == b && m.longUp() && !other.longUp()
}

// longUp reports whether m has been up for longer than those of which it is not
// true.
func (m *member) longUp() bool { return m.Pod != nil && m.Pod.Ready }

// describe lists names with why their servers did not answer, the first few.
func (p *pass) describe(names []Name) string {
	const most = 3
	var parts []string
	for _, name := range names[:min(most, len(names))] {
		why := "not created yet"
		if m := p.byName[name]; m != nil {
			why = m.Unknown
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", name, why))
	}
	if more := len(names) - most; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, ", ")
}
