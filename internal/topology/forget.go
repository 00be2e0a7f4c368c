package topology

import (
	"fmt"
	"slices"
)

// mostForgotten is how many servers are forgotten at a time. Every member is
// told of each; a server that was told tells others, so that the next pass has
// fewer to tell.
const mostForgotten = 16

// forget removes from every view the servers that are gone for good (N5): no
// member has the ID, a majority of primaries calls it failed or nobody who knows
// it has an address for it, nobody attributes slots to it, and nobody replicates
// it. Every wanted server must have answered, for one that did not may have that
// ID (N3).
func forget(p *pass) {
	if len(p.missing()) > 0 {
		return
	}
	gone := p.gone()
	for _, id := range gone[:min(mostForgotten, len(gone))] {
		for _, m := range p.members {
			if m.Server == nil {
				continue
			}
			if _, known := m.Server.View.Peer(id); known {
				p.act(Forget{
					Why:    Why{ReasonForgetting, fmt.Sprintf("making %s forget server %s, which is gone", m.Name, id), WholeCluster},
					Target: m.target(),
					Gone:   id,
				})
			}
		}
	}
}

// gone returns the IDs that every view agrees may be forgotten, in order. With
// the slots whose loss was accepted a server is forgotten as if it had none:
// they are then free, and get an owner as they did when the cluster was formed.
// So few may be left that nobody can call it failed; a human's word is enough.
func (p *pass) gone() []NodeID {
	var ids []NodeID
	failed, kept, at := map[NodeID]bool{}, map[NodeID]bool{}, map[NodeID]bool{}
	for _, v := range p.views {
		for i := range v.Peers {
			peer := &v.Peers[i]
			if p.byID[peer.ID] != nil {
				continue
			}
			if _, found := failed[peer.ID]; !found {
				ids = append(ids, peer.ID)
			}
			failed[peer.ID] = failed[peer.ID] || peer.Failed || peer.Suspect && p.accepted(peer.Slots)
			at[peer.ID] = at[peer.ID] || peer.Addr.IsValid()
			kept[peer.ID] = kept[peer.ID] || !peer.Slots.Minus(p.want.Accepted).IsEmpty()
		}
	}
	return slices.DeleteFunc(ids, func(id NodeID) bool {
		return !failed[id] && at[id] || kept[id] || len(p.followers[id]) > 0
	})
}

// leftover says which server that is no member is still known somewhere, so
// that the status is not Ready before it is forgotten (A6). It comes last and
// so keeps nothing else waiting: a server that is gone takes no part in
// anything.
func leftover(p *pass) {
	for _, v := range p.views {
		for i := range v.Peers {
			if peer := &v.Peers[i]; p.byID[peer.ID] == nil {
				p.wait(ReasonForgetting, WholeCluster, fmt.Sprintf(
					"server %s belongs to no node and is forgotten once most primaries hold it for failed", peer.ID))
				return
			}
		}
	}
}
