package topology

import (
	"fmt"
	"net/netip"
	"testing"
)

// situations are states of a large cluster in which a planner is tempted to
// compare everybody with everybody.
var situations = map[string]func(*story){
	"healthy": func(s *story) { s.agree(nil) },
	"new":     func(s *story) { s.blank() },
	"nothing answers": func(s *story) {
		s.agree(nil)
		for name := range s.members {
			s.gone(name, "it does not answer in time")
		}
	},
	"all addresses are new": func(s *story) {
		s.agree(nil)
		for i, n := range s.want.Members {
			s.members[n.Name].Pod.Addr = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 9, byte(i >> 8), byte(i)}), 6379)
		}
	},
	"all primaries are dead": func(s *story) {
		s.agree(nil)
		for _, n := range s.want.Members {
			if m := s.members[n.Name]; n.Index == 0 {
				s.gone(n.Name, "nothing listens at its address")
				m.Died = true
			} else {
				m.Server.Link.Up = false
			}
		}
	},
	"all pods are outdated": func(s *story) {
		s.agree(nil)
		for _, m := range s.members {
			m.Template, m.Pod.Template = outdated, outdated
		}
	},
	"all replicas are lost strangers": func(s *story) {
		s.agree(func(peers []Peer) []Peer {
			for i := range peers {
				if peers[i].Role == RoleReplica {
					peers[i].ID, peers[i].Failed = peers[i].ID+"-before", true
				}
			}
			return peers
		})
		for _, n := range s.want.Members {
			if m := s.members[n.Name]; n.Index > 0 {
				m.Server.Role, m.Server.Primary, m.Server.Keys = RolePrimary, "", 0
				m.Server.View = NewView([]Peer{peerOf(m)})
			}
		}
	},
	"some servers have views of their own": func(s *story) {
		s.agree(nil)
		for _, n := range s.want.Members[:20] {
			m := s.members[n.Name]
			m.seesOtherwise(m.Server.ID, func(p *Peer) { p.Epoch = uint64(1000 + n.Shard) })
		}
	},
}

// large is a story of that many shards of three in the situation.
func large(situation string, shards int) *story {
	s := newStory(shards, 2)
	situations[situation](s)
	s.next()
	return s
}

func BenchmarkNext(b *testing.B) {
	for name := range situations {
		for _, shards := range []int{50, 500} {
			b.Run(fmt.Sprintf("%s/%dx3", name, shards), func(b *testing.B) {
				s := large(name, shards)
				for b.Loop() {
					Next(s.want, s.seen)
					Examine(s.want, s.seen)
				}
			})
		}
	}
}

// Many servers that are gone are forgotten some at a time, and all in the end.
func TestManyAreForgottenInTurn(t *testing.T) {
	const gone = 2*mostForgotten + 1
	s := newStory(3, 1)
	left := gone
	ghosts := func(peers []Peer) []Peer {
		for i := range left {
			peers = append(peers, Peer{ID: NodeID(fmt.Sprintf("ghost-%03d", i)), Role: RoleReplica, Failed: true})
		}
		return peers
	}
	for passes := 0; left > 0; passes++ {
		s.agree(ghosts)
		told := map[NodeID]int{}
		for _, a := range s.next().Actions {
			if f, ok := a.(Forget); ok {
				told[f.Gone]++
			}
		}
		for id, members := range told {
			if members != len(s.members) {
				t.Errorf("%s is forgotten by %d of %d", id, members, len(s.members))
			}
		}
		if len(told) == 0 || len(told) > mostForgotten || passes > 3 {
			t.Fatalf("pass %d forgets %d of %d", passes, len(told), left)
		}
		left -= len(told)
	}
}
