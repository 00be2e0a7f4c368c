package topology

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

// View is one server's knowledge of the cluster, without what differs between
// servers that agree: ping times, handshakes. Servers that agree
// share one View, so that planning does not cost the square of their number.
type View struct {
	// Peers are sorted by ID.
	Peers []Peer
}

// Peer is one server as others see it.
type Peer struct {
	ID NodeID
	// Addr is invalid when the viewer does not know the address.
	Addr    netip.AddrPort
	Role    Role
	Primary NodeID
	Slots   slots.Set
	Epoch   uint64
	// Failed is the verdict of a majority of primaries.
	Failed bool
	// Suspect is the viewer's own doubt, which is not evidence.
	Suspect bool
	// Unlinked is true while the viewer has no connection to it, so that
	// nothing the viewer says reaches it.
	Unlinked bool
}

// NewView sorts peers and returns them as a View.
func NewView(peers []Peer) *View {
	slices.SortFunc(peers, func(a, b Peer) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return &View{Peers: peers}
}

// Peer returns what v knows of id; found is false when it knows nothing.
func (v *View) Peer(id NodeID) (peer Peer, found bool) {
	if v == nil {
		return Peer{}, false
	}
	i, found := slices.BinarySearchFunc(v.Peers, id, func(p Peer, id NodeID) int {
		return strings.Compare(string(p.ID), string(id))
	})
	if !found {
		return Peer{}, false
	}
	return v.Peers[i], true
}
