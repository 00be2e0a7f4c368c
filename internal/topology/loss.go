package topology

import (
	"fmt"
	"slices"
	"strings"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

// accepted reports whether a human has given up all keys of these slots, and
// that they are any.
func (p *pass) accepted(lost slots.Set) bool {
	return !lost.IsEmpty() && lost.Minus(p.want.Accepted).IsEmpty()
}

// acceptance is the annotation that gives them up.
func (p *pass) acceptance(lost slots.Set) string {
	all := slots.Of(append(lost.Ranges(), p.want.Accepted.Ranges()...)...)
	return fmt.Sprintf("valkey.io/accept-data-loss=%s", strings.ReplaceAll(all.String(), " ", ","))
}

// lostSlots says which slots are attributed only to servers that do not serve
// them, and what a human can do where nobody has a copy (N10).
func (p *pass) lostSlots() {
	lost := p.attributed().Minus(p.served())
	if lost.IsEmpty() || len(p.missing()) > 0 {
		return
	}
	if bereft := p.bereft().Intersect(lost); !bereft.IsEmpty() {
		p.say(Blocked{Human: true, Why: Why{ReasonSlotsLost, fmt.Sprintf(
			"slots %v belong to servers that are gone, and no server here has a copy of their keys; to serve them again, empty, annotate this cluster with %s",
			bereft, p.acceptance(bereft)), WholeCluster}})
		return
	}
	p.say(Blocked{Why: Why{ReasonSlotsLost, fmt.Sprintf("slots %v are owned by servers that are not there", lost), WholeCluster}})
}

// bereft returns the slots of servers that are no members, that are held for
// failed or suspected, and that nobody replicates. There are none while a server
// that lost its identity holds keys: they may be theirs.
func (p *pass) bereft() slots.Set {
	if slices.ContainsFunc(p.members, func(m *member) bool { return m.lost() && m.Server.Keys > 0 }) {
		return slots.Set{}
	}
	var ranges []slots.Range
	for _, v := range p.views {
		for i := range v.Peers {
			peer := &v.Peers[i]
			if p.byID[peer.ID] == nil && (peer.Failed || peer.Suspect) && len(p.followers[peer.ID]) == 0 {
				ranges = append(ranges, peer.Slots.Ranges()...)
			}
		}
	}
	return slots.Of(ranges...).Minus(p.want.Accepted)
}
