package observe

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"

	"github.com/valkey-operator/valkey-operator/internal/topology"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// interner keeps one View of each content, and one Peer of each line that
// servers print. In a cluster that agrees with itself, nothing but the first
// answer costs more than to see that it is known.
type interner struct {
	lines map[*valkey.Node]int // by what the observer shares between answers
	texts map[string]int       // by content
	peers []topology.Peer      // by number
	views map[string]*topology.View
}

func newInterner() *interner {
	return &interner{lines: map[*valkey.Node]int{}, texts: map[string]int{}, views: map[string]*topology.View{}}
}

// number returns the number of the peer that a line is about. A server's own
// line says the same as the others' lines about it, but where it was asked is
// known better than where it believes to be.
func (in *interner) number(n *valkey.Node, at netip.AddrPort) int {
	if n.Flags.Has(valkey.Myself) {
		p := peer(n)
		p.Addr = at
		return in.numberOf(p)
	}
	number, found := in.lines[n]
	if !found {
		number = in.numberOf(peer(n))
		in.lines[n] = number
	}
	return number
}

func (in *interner) numberOf(p topology.Peer) int {
	text := fmt.Sprintf("%s %v %s %s %v %d %t %t %t",
		p.ID, p.Addr, p.Role, p.Primary, p.Slots, p.Epoch, p.Failed, p.Suspect, p.Unlinked)
	number, found := in.texts[text]
	if !found {
		number = len(in.peers)
		in.texts[text] = number
		in.peers = append(in.peers, p)
	}
	return number
}

// view returns the View of the peers with these numbers.
func (in *interner) view(numbers []int) *topology.View {
	slices.Sort(numbers)
	var key []byte
	for _, number := range numbers {
		key = binary.AppendUvarint(key, uint64(number)) //nolint:gosec // not negative
	}
	if known, found := in.views[string(key)]; found {
		return known
	}
	peers := make([]topology.Peer, len(numbers))
	for i, number := range numbers {
		peers[i] = in.peers[number]
	}
	v := topology.NewView(peers)
	in.views[string(key)] = v
	return v
}

// server is what an answer means. A server may not know its own address; it is
// the one that it was asked at.
func server(o valkey.Observation, at netip.AddrPort, views *interner) *topology.Server {
	self := o.Self()
	s := &topology.Server{
		ID:           topology.NodeID(self.ID),
		Role:         topology.Role(self.Role()),
		Primary:      topology.NodeID(self.Primary),
		Keys:         o.Keys,
		Epoch:        self.ConfigEpoch,
		CurrentEpoch: o.Cluster.CurrentEpoch,
		Serving:      o.Cluster.OK,
		NodeTimeout:  o.NodeTimeout,
		Loading:      o.Persistence.Loading,
		Stream:       stream(o.Replication),
	}
	if s.Role == topology.RolePrimary {
		s.Slots = self.Slots
	} else {
		source := o.Replication.Source
		s.Link = topology.Link{
			Up: source.Up, Syncing: source.Syncing, HoldsData: source.HoldsData(),
			Offset: source.Offset, History: o.Replication.ReplID,
		}
	}
	s.Handshakes, s.View = peers(o.Nodes, at, views)
	return s
}

func stream(r valkey.Replication) topology.Stream {
	s := topology.Stream{History: r.ReplID, Offset: r.Offset, Past: r.ReplID2, PastEnd: r.SecondOffset - 1}
	if r.Role == valkey.Replica {
		s.Offset = r.Source.Offset
	}
	return s
}

func peers(nodes valkey.Nodes, at netip.AddrPort, views *interner) ([]netip.AddrPort, *topology.View) {
	var handshakes []netip.AddrPort
	numbers := make([]int, 0, len(nodes))
	for _, n := range nodes {
		if !n.IsMember() {
			handshakes = append(handshakes, n.Addr)
			continue
		}
		numbers = append(numbers, views.number(n, at))
	}
	return handshakes, views.view(numbers)
}

func peer(n *valkey.Node) topology.Peer {
	return topology.Peer{
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
}
