package topology

import "fmt"

// forget removes from every view the servers that are gone for good (N5): no
// member has the ID, a majority of primaries calls it failed, nobody attributes
// slots to it, and nobody replicates it. Every wanted server must have answered,
// for one that did not may have that ID (N3).
func forget(p *pass) {
	if len(p.missing()) > 0 {
		return
	}
	for _, id := range p.gone() {
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

// gone returns the IDs that every view agrees may be forgotten, in order.
func (p *pass) gone() []NodeID {
	var ids []NodeID
	seen := map[NodeID]bool{}
	for _, v := range p.views {
		for _, peer := range v.Peers {
			if !seen[peer.ID] && p.byID[peer.ID] == nil && p.agreedGone(peer.ID) {
				ids = append(ids, peer.ID)
			}
			seen[peer.ID] = true
		}
	}
	return ids
}

func (p *pass) agreedGone(id NodeID) bool {
	failed := false
	for _, v := range p.views {
		peer, known := v.Peer(id)
		if !known {
			continue
		}
		if !peer.Slots.IsEmpty() {
			return false
		}
		failed = failed || peer.Failed
	}
	for _, m := range p.members {
		if m.Server != nil && m.Server.Primary == id {
			return false
		}
	}
	return failed
}

// leftover says which server that is no member is still known somewhere, so
// that the status is not Ready before it is forgotten (A6). It comes last and
// so keeps nothing else waiting: a server that is gone takes no part in
// anything.
func leftover(p *pass) {
	for _, v := range p.views {
		for _, peer := range v.Peers {
			if p.byID[peer.ID] == nil {
				p.wait(ReasonForgetting, WholeCluster, fmt.Sprintf(
					"server %s belongs to no node and is forgotten once most primaries hold it for failed", peer.ID))
				return
			}
		}
	}
}
