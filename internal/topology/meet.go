package topology

import (
	"fmt"
	"slices"
)

// fullMesh is the size up to which everybody is introduced to everybody, which
// is the fastest way to join or heal a cluster. Larger ones are introduced
// along powers of two: every server is then a few steps from every other, and
// gossip does the rest.
const fullMesh = 16

// meet introduces servers that do not know each other, or know an address that
// is no longer right. One that is about to be given its epoch is left alone
// until the next pass, or it could not be given it any more.
func meet(p *pass) {
	var known []*member
	for _, m := range p.members {
		if m.Server == nil || m.Pod == nil || !m.Pod.Addr.IsValid() || !m.wanted && !m.ownsSlots() || p.lacksEpoch(m) {
			continue
		}
		if m.Server.Keys == 0 || !p.claimsOfOthers(m) || !p.keepKeys(m) {
			known = append(known, m)
		}
	}
	strangers := p.strangers(known)
	for i, from := range known {
		for _, j := range introductions(i, len(known)) {
			p.introduce(from, known[j], strangers)
		}
	}
}

// introductions returns whom of n servers the i-th one is introduced to.
func introductions(i, n int) []int {
	var to []int
	for step := 1; step < n; {
		to = append(to, (i+step)%n)
		if n <= fullMesh {
			step++
		} else {
			step *= 2
		}
	}
	return to
}

func (p *pass) introduce(from, to *member, strangers map[*member]NodeID) {
	peer, found := from.Server.View.Peer(to.Server.ID)
	switch {
	case found && peer.Addr == to.Pod.Addr:
	case p.wouldMerge(from, to, strangers) || p.wouldMerge(to, from, strangers):
	case slices.Contains(from.Server.Handshakes, to.Pod.Addr):
		p.waitOnce(ReasonJoining, WholeCluster, "servers are getting to know each other")
	default:
		p.act(Meet{
			Why:      Why{ReasonJoining, fmt.Sprintf("introducing %s to %s", from.Name, to.Name), WholeCluster},
			Target:   from.target(),
			Peer:     to.Server.ID,
			PeerName: to.Name,
			Addr:     to.Pod.Addr,
		})
	}
}

// wouldMerge reports, and says, that a is in contact with a stranger that b
// does not know. While a wanted server does not answer, the stranger may be
// that one, so that only time will tell (N3).
func (p *pass) wouldMerge(a, b *member, strangers map[*member]NodeID) bool {
	id, bound := strangers[a]
	if !bound {
		return false
	}
	if _, shared := b.Server.View.Peer(id); shared {
		return false
	}
	if missing := p.missing(); len(missing) > 0 {
		p.waitOnce(ReasonWaitServers, a.Shard, fmt.Sprintf(
			"%s and %s are introduced once it is known who server %s is; waiting for %s", a.Name, b.Name, id, p.describe(missing)))
		return true
	}
	p.blockOnce(Blocked{Human: true, Why: Why{ReasonForeignServer, fmt.Sprintf(
		"%s is in contact with server %s, which owns slots and is not of this cluster; it is not introduced to the others, because that would merge two clusters; if its volume came from elsewhere, empty the volume and delete the pod",
		a.Name, id), a.Shard}})
	return true
}

// strangers returns, for each of members that knows one, a living server that
// is no member. Introducing such a member could merge two clusters (N8).
func (p *pass) strangers(members []*member) map[*member]NodeID {
	byView := map[*View]NodeID{}
	found := map[*member]NodeID{}
	for _, m := range members {
		id, done := byView[m.Server.View]
		if !done {
			id = p.stranger(m.Server.View)
			byView[m.Server.View] = id
		}
		if id != "" {
			found[m] = id
		}
	}
	return found
}

func (p *pass) stranger(v *View) NodeID {
	if v == nil {
		return ""
	}
	for _, peer := range v.Peers {
		if p.byID[peer.ID] == nil && !peer.Failed && !peer.Suspect && !peer.Slots.IsEmpty() {
			return peer.ID
		}
	}
	return ""
}
