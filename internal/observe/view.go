package observe

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/valkey-operator/valkey-operator/internal/topology"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// interner keeps one View of each content.
type interner map[string]*topology.View

func (in interner) share(v *topology.View) *topology.View {
	var key strings.Builder
	for _, p := range v.Peers {
		fmt.Fprintf(&key, "%s %v %s %s %v %d %t %t %t\n",
			p.ID, p.Addr, p.Role, p.Primary, p.Slots, p.Epoch, p.Failed, p.Suspect, p.Unlinked)
	}
	if known, found := in[key.String()]; found {
		return known
	}
	in[key.String()] = v
	return v
}

// server is what an answer means. A server may not know its own address; it is
// the one that it was asked at.
func server(o valkey.Observation, at netip.AddrPort, views interner) *topology.Server {
	self := o.Self()
	s := &topology.Server{
		ID:          topology.NodeID(self.ID),
		Role:        topology.Role(self.Role()),
		Primary:     topology.NodeID(self.Primary),
		Keys:        o.Keys,
		Epoch:       self.ConfigEpoch,
		Serving:     o.Cluster.OK,
		NodeTimeout: o.NodeTimeout,
		Loading:     o.Persistence.Loading,
	}
	if s.Role == topology.RolePrimary {
		s.Slots = self.Slots
	} else {
		source := o.Replication.Source
		s.Link = topology.Link{Up: source.Up, Syncing: source.Syncing, Offset: source.Offset, History: o.Replication.ReplID}
	}
	s.Handshakes, s.View = peers(o.Nodes, at, views)
	return s
}

func peers(nodes valkey.Nodes, at netip.AddrPort, views interner) ([]netip.AddrPort, *topology.View) {
	var handshakes []netip.AddrPort
	known := make([]topology.Peer, 0, len(nodes))
	for _, n := range nodes {
		if !n.IsMember() {
			handshakes = append(handshakes, n.Addr)
			continue
		}
		p := topology.Peer{
			ID:      topology.NodeID(n.ID),
			Addr:    n.Addr,
			Role:    topology.Role(n.Role()),
			Primary: topology.NodeID(n.Primary),
			Slots:   n.Slots,
			Epoch:   n.ConfigEpoch,
			Failed:  n.Flags.Has(valkey.Failed),
			Suspect: n.Flags.Has(valkey.PossiblyFailed),
			// A server has no link to itself.
			Unlinked: !n.LinkUp && !n.Flags.Has(valkey.Myself),
		}
		if n.Flags.Has(valkey.Myself) {
			p.Addr = at
		}
		known = append(known, p)
	}
	return handshakes, views.share(topology.NewView(known))
}
