package topology

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

const (
	current  = "inputs-2"
	outdated = "inputs-1"
)

// A story is a cluster of s shards × (1 + r) members that does well, and that a
// test then changes.
type story struct {
	want    Desired
	seen    Observed
	members map[Name]*Member
}

func newStory(shards, replicas int) *story {
	s := &story{
		want:    Desired{Shards: shards, NodeTimeout: 2 * time.Second, Inputs: current},
		members: map[Name]*Member{},
	}
	for shard, part := range slots.Partition(shards) {
		for index := range 1 + replicas {
			s.add(shard, index, part)
		}
	}
	return s
}

func (s *story) add(shard, index int, part slots.Set) {
	name := Name(fmt.Sprintf("c-%d-%d", shard, index))
	s.want.Members = append(s.want.Members, Wanted{name, shard, index})
	number := len(s.members) + 1
	addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(number)}), 6379)
	m := &Member{
		Name: name, Shard: shard, Index: index, Template: current, Volume: true,
		Pod:    &Pod{UID: PodUID("pod-" + name), Addr: addr, Template: current, Ready: true, Ran: true},
		Server: &Server{ID: NodeID("id-" + name), Role: RolePrimary, Slots: part, Epoch: uint64(shard + 1), CurrentEpoch: uint64(s.want.Shards), Keys: 10, Serving: true, NodeTimeout: 2 * time.Second},
	}
	if index > 0 {
		m.Server.Role, m.Server.Slots = RoleReplica, slots.Set{}
		m.Server.Primary = NodeID(fmt.Sprintf("id-c-%d-0", shard))
		m.Server.Link = Link{Up: true, HoldsData: true, Offset: 1000, History: fmt.Sprintf("history-%d", shard)}
	}
	s.members[name] = m
}

// blank makes every server one that has just been started for the first time.
func (s *story) blank() {
	for _, m := range s.members {
		m.Server.Role, m.Server.Primary, m.Server.Slots = RolePrimary, "", slots.Set{}
		m.Server.Epoch, m.Server.CurrentEpoch, m.Server.Keys, m.Server.Serving, m.Server.Link = 0, 0, 0, false, Link{}
		m.Server.View = NewView([]Peer{peerOf(m)})
	}
}

// gone takes the server's answer away.
func (s *story) gone(name Name, why string) {
	s.members[name].Server, s.members[name].Unknown = nil, why
}

func peerOf(m *Member) Peer {
	return Peer{ID: m.Server.ID, Addr: m.Pod.Addr, Role: m.Server.Role, Primary: m.Server.Primary, Slots: m.Server.Slots, Epoch: m.Server.Epoch}
}

// agree gives all servers one view of each other, changed by edit.
func (s *story) agree(edit func([]Peer) []Peer) {
	var peers []Peer
	for _, n := range s.want.Members {
		if m := s.members[n.Name]; m != nil && m.Server != nil {
			peers = append(peers, peerOf(m))
		}
	}
	if edit != nil {
		peers = edit(peers)
	}
	view := NewView(peers)
	for _, m := range s.members {
		if m.Server != nil {
			m.Server.View = view
		}
	}
}

func (s *story) next() Plan {
	s.seen.Members = nil
	for _, n := range s.want.Members {
		if m := s.members[n.Name]; m != nil {
			s.seen.Members = append(s.seen.Members, *m)
		}
	}
	return Next(s.want, s.seen)
}

// tell prints a plan as lines of "kind member detail".
func tell(p Plan) []string {
	var lines []string
	for _, a := range p.Actions {
		line := strings.TrimPrefix(fmt.Sprintf("%T", a), "topology.") + " " + string(a.On())
		switch a := a.(type) {
		case Claim:
			line += fmt.Sprintf(" %v", a.Slots)
		case SetEpoch:
			line += fmt.Sprintf(" %d", a.Epoch)
		case Meet:
			line += " " + string(a.PeerName)
		case Reclaim:
			line += " " + a.Slots.String()
		case Replicate:
			line += " " + string(a.Primary)
		case Forget:
			line += " " + string(a.Gone)
		case Roll:
			line += fmt.Sprintf(" %s/%s", a.Guard.Pod, a.Guard.Role)
		case SetNodeTimeout:
			line += " " + a.Timeout.String()
		}
		lines = append(lines, line)
	}
	for _, b := range p.Blocked {
		kind := "wait"
		if b.Human {
			kind = "human"
		}
		lines = append(lines, fmt.Sprintf("%s %s %d", kind, b.Reason, b.Shard))
	}
	return lines
}

func expect(t *testing.T, p Plan, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, tell(p)); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
}
