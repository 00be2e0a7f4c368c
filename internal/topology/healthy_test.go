package topology

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

// healthy is a cluster of that shape with nothing left to do. Index 0 of each
// shard is its primary.
func healthy(shards, replicas int) (Desired, Observed) {
	want := Desired{Shards: shards, NodeTimeout: time.Second, Inputs: "new"}
	var seen Observed
	var peers []Peer
	for shard, part := range slots.Partition(shards) {
		for index := range 1 + replicas {
			n := Wanted{Name: Name(fmt.Sprintf("c-%d-%d", shard, index)), Shard: shard, Index: index}
			m := aMember(n, len(seen.Members))
			peer := Peer{ID: m.Server.ID, Addr: m.Pod.Addr, Role: RolePrimary, Slots: part, Epoch: 1}
			if index == 0 {
				m.Server.Slots = part
			} else {
				primary := seen.Members[len(seen.Members)-index].Server.ID
				m.Server.Role, m.Server.Primary = RoleReplica, primary
				m.Server.Link = Link{Up: true, HoldsData: true, Offset: 100, History: "h"}
				peer.Role, peer.Primary, peer.Slots = RoleReplica, primary, slots.Set{}
			}
			want.Members = append(want.Members, n)
			seen.Members = append(seen.Members, m)
			peers = append(peers, peer)
		}
	}
	view := NewView(peers)
	for i := range seen.Members {
		seen.Members[i].Server.View = view
	}
	return want, seen
}

func aMember(n Wanted, number int) Member {
	addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(number + 1)}), 6379)
	return Member{
		Name: n.Name, Shard: n.Shard, Index: n.Index, Template: "new", Volume: true, Protected: true,
		Pod: &Pod{UID: PodUID(n.Name), Addr: addr, Template: "new", Ready: true, Ran: true},
		Server: &Server{
			ID: NodeID(strings.Repeat(fmt.Sprintf("%02x", number+1), 20)), Role: RolePrimary, Keys: 1,
			Epoch: 1, Serving: true, NodeTimeout: time.Second,
		},
	}
}

// named returns the member of that name.
func (o Observed) named(name Name) *Member {
	for i := range o.Members {
		if o.Members[i].Name == name {
			return &o.Members[i]
		}
	}
	panic("no such member")
}

// seesOtherwise gives m a view of its own, in which id is changed by change.
func (m *Member) seesOtherwise(id NodeID, change func(*Peer)) {
	peers := append([]Peer(nil), m.Server.View.Peers...)
	for i := range peers {
		if peers[i].ID == id {
			change(&peers[i])
		}
	}
	m.Server.View = NewView(peers)
}
