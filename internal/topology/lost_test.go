package topology

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

// forget has the server of name come back without its nodes.conf, in the same
// pod and with its data. Everybody has been introduced to it.
func (s *story) forget(name Name) {
	m := s.members[name]
	m.Last = Last{ID: m.Server.ID, Pod: m.Pod.UID}
	m.Server.ID, m.Server.Role, m.Server.Primary = NodeID("new-id-"+name), RoleReplica, Nobody
	m.Server.Slots, m.Server.Epoch, m.Server.CurrentEpoch, m.Server.Link = slots.Set{}, 0, 10, Link{}
	m.Pod.Ready = false
}

// history gives the servers of a shard data that is comparable: the one at end
// went on from where the others were.
func (s *story) history(end Name, others ...Name) {
	s.members[end].Server.Stream = Stream{History: "new", Offset: 200, Past: "old", PastEnd: 150}
	for _, name := range others {
		s.members[name].Server.Stream = Stream{History: "old", Offset: 150}
	}
}

// without returns peers without the members of these names, and with others.
func without(ids []NodeID, others ...Peer) func([]Peer) []Peer {
	return func(peers []Peer) []Peer {
		peers = slices.DeleteFunc(peers, func(p Peer) bool { return slices.Contains(ids, p.ID) })
		return append(peers, others...)
	}
}

// about returns what a plan says and does about a server without an identity.
func about(p Plan) []string {
	var lines []string
	for _, line := range tell(p) {
		for _, word := range []string{"Replicate", "Reclaim", "TakeOver", "FailOver", "Claim", "KeysWithoutSlots", "MajorityLost", "Meet", "ServerRunsTwice"} {
			if strings.Contains(line, word) {
				lines = append(lines, line)
				break
			}
		}
	}
	return lines
}

func TestLostReplica(t *testing.T) {
	cases := []struct {
		name   string
		change func(*story)
		want   []string
	}{
		{"its data is in its primary's history", func(s *story) { s.history("c-0-0", "c-0-1") }, []string{"Replicate c-0-1 id-c-0-0"}},
		{"its data is in another primary's history, of whose volume it has a copy", func(s *story) { s.history("c-1-0", "c-0-1") },
			[]string{"Replicate c-0-1 id-c-0-0"}},
		{"it has no keys", func(s *story) { s.members["c-0-1"].Server.Keys = 0 }, []string{"Replicate c-0-1 id-c-0-0"}},
		{"it has written more", func(s *story) {
			s.history("c-0-0", "c-0-1")
			s.members["c-0-1"].Server.Stream.Offset = 151
		}, []string{"human KeysWithoutSlots 0"}},
		{"it is of another history", func(s *story) {
			s.history("c-0-0")
			s.members["c-0-1"].Server.Stream = Stream{History: "other", Offset: 10}
		}, []string{"human KeysWithoutSlots 0"}},
		{"it never was in a history", func(s *story) { s.history("c-0-0") }, []string{"human KeysWithoutSlots 0"}},
		{"it is loading", func(s *story) {
			s.history("c-0-0", "c-0-1")
			s.members["c-0-1"].Server.Loading = true
		}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newStory(3, 1)
			s.forget("c-0-1")
			c.change(s)
			s.agree(nil)
			if diff := cmp.Diff(c.want, about(s.next())); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

// Once it is somebody's replica, what it was the replica of is forgotten.
func TestNobodyIsForgotten(t *testing.T) {
	s := newStory(2, 1)
	s.agree(func(peers []Peer) []Peer { return append(peers, Peer{ID: Nobody, Role: RolePrimary}) })
	lines := tell(s.next())
	if !slices.Contains(lines, "Forget c-0-1 "+string(Nobody)) {
		t.Errorf("%q", lines)
	}
	s.forget("c-0-1")
	s.agree(func(peers []Peer) []Peer { return append(peers, Peer{ID: Nobody, Role: RolePrimary}) })
	for _, line := range tell(s.next()) {
		if strings.HasPrefix(line, "Forget") {
			t.Errorf("forgotten too early: %s", line)
		}
	}
}

// former is the old server of c-0-0 in the eyes of the others.
func former(slots slots.Set) Peer {
	return Peer{ID: "id-c-0-0", Role: RolePrimary, Slots: slots, Epoch: 1, Failed: true}
}

func TestLostPrimaryWithoutReplica(t *testing.T) {
	first := slots.Partition(3)[0]
	cases := []struct {
		name   string
		change func(*story)
		want   []string
	}{
		{"started again in the same pod", func(*story) {}, []string{"Reclaim c-0-0 0-5460"}},
		{"in another pod", func(s *story) { s.members["c-0-0"].Pod.UID = "pod-2" }, []string{"wait MajorityLost 0"}},
		{"in another pod, and its machine is gone", func(s *story) {
			s.members["c-0-0"].Pod.UID, s.members["c-0-0"].Fenced = "pod-2", "its machine m is out of service"
		}, []string{"Reclaim c-0-0 0-5460"}},
		{"in another pod, and a human vouches", func(s *story) {
			s.members["c-0-0"].Pod.UID, s.want.Vouched = "pod-2", true
		}, []string{"Reclaim c-0-0 0-5460"}},
		{"nobody knows which server it was", func(s *story) { s.members["c-0-0"].Last = Last{} }, []string{"human KeysWithoutSlots 0"}},
		{"another shard does not answer", func(s *story) { s.gone("c-2-0", "it does not answer in time") }, []string{"Reclaim c-0-0 0-5460"}},
		{"it has no keys", func(s *story) { s.members["c-0-0"].Server.Keys = 0 }, []string{"TakeOver c-0-0"}},
		{"it is loading", func(s *story) { s.members["c-0-0"].Server.Loading = true }, nil},
		{"another server got its slots", func(s *story) { // by their epoch
			s.members["c-1-0"].Server.Slots = slots.Partition(3)[1].Union(first)
		}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newStory(3, 0)
			s.forget("c-0-0")
			c.change(s)
			s.agree(func(peers []Peer) []Peer { return append(peers, former(first)) })
			if diff := cmp.Diff(c.want, about(s.next())); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

// It is introduced before it takes anything, so that its epoch is the highest.
func TestReclaimAfterMeeting(t *testing.T) {
	s := newStory(2, 0)
	s.forget("c-0-0")
	s.agree(without([]NodeID{"new-id-c-0-0"}, former(slots.Partition(2)[0])))
	s.members["c-0-0"].Server.View = NewView([]Peer{peerOf(s.members["c-0-0"]), {ID: Nobody, Role: RolePrimary}})
	s.members["c-0-0"].Server.CurrentEpoch = 0
	want := []string{"Meet c-0-0 c-1-0", "Meet c-1-0 c-0-0"}
	if diff := cmp.Diff(want, about(s.next())); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
}

// A replica of the old server is elected first (N9), and whoever lost his
// identity then follows it.
func TestLostPrimaryWithReplica(t *testing.T) {
	s := newStory(3, 1)
	s.forget("c-0-0")
	s.members["c-0-1"].Server.Link.Up = false
	s.history("c-0-1", "c-0-0")
	s.agree(func(peers []Peer) []Peer { return append(peers, former(slots.Partition(3)[0])) })
	if diff := cmp.Diff([]string{"FailOver c-0-1"}, about(s.next())); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	// A replica that never had anything is no heir.
	s.members["c-0-1"].Server.Link, s.members["c-0-1"].Server.Keys = Link{}, 0
	if diff := cmp.Diff([]string{"Reclaim c-0-0 0-5460"}, about(s.next())); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	s.gone("c-0-1", "it does not answer in time")
	if got := about(s.next()); got != nil {
		t.Errorf("with its replica unknown: %q (N3)", got)
	}
}

// All servers of a shard lost their identity, and nobody knows whose its slots
// were.
func TestAllOfAShardLost(t *testing.T) {
	lose := func(s *story) {
		for name := range s.members {
			s.forget(name)
		}
		s.agree(nil)
	}
	s := newStory(2, 1)
	lose(s)
	s.history("c-0-1", "c-0-0")
	if diff := cmp.Diff([]string{"Reclaim c-0-1 0-8191"}, about(s.next())[:1]); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	s.members["c-0-0"].Server.Stream.Offset = 151 // neither has all of the other
	if diff := cmp.Diff([]string{"human KeysWithoutSlots 0", "human KeysWithoutSlots 1"}, about(s.next())); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	s.history("c-0-1", "c-0-0")
	s.seen.StrayClaims = []string{"valkey-c-9-0-data"}
	for _, line := range about(s.next()) {
		if strings.HasPrefix(line, "Reclaim") {
			t.Errorf("although another claim may have the data: %s (N10)", line)
		}
	}
}

// A server with data and without nodes.conf that nobody held back claims slots
// of others. It is introduced only if it loses nothing by it (N10).
func TestServerWithClaimsOfOthers(t *testing.T) {
	stray := func() *story {
		s := newStory(2, 1)
		m := s.members["c-0-1"]
		m.Server.ID, m.Server.Role, m.Server.Primary, m.Server.Link, m.Server.Epoch = "stray", RolePrimary, "", Link{}, 0
		m.Server.Slots = slots.Of(slots.Range{First: 7, Last: 7})
		s.agree(without([]NodeID{"stray"}))
		m.Server.View = NewView([]Peer{peerOf(m)})
		return s
	}
	s := stray()
	if diff := cmp.Diff([]string{"human KeysWithoutSlots 0"}, about(s.next())); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	s.members["c-0-0"].Server.Stream = Stream{History: "h", Offset: 200}
	s.members["c-0-1"].Server.Stream = Stream{History: "own", Offset: 150, Past: "h", PastEnd: 150}
	if got := about(s.next()); !slices.Contains(got, "Meet c-0-1 c-0-0") {
		t.Errorf("its data is of a point that c-0-0 has passed, and the plan is %q", got)
	}
	// With an epoch of its own it would not lose these slots but win them.
	s.members["c-0-1"].Server.Keys = 0
	for _, story := range []*story{stray(), s} {
		if line := slices.IndexFunc(tell(story.next()), func(l string) bool { return strings.HasPrefix(l, "SetEpoch") }); line >= 0 {
			t.Error("it is given an epoch")
		}
	}
	if got := about(s.next()); !slices.Contains(got, "Meet c-0-1 c-0-0") {
		t.Errorf("its keys are gone already, and the plan is %q", got)
	}
}

// Nobody is asked to give up keys that a server without an identity may hold.
func TestLossIsNotOfferedWhileAServerMayHaveTheKeys(t *testing.T) {
	first := slots.Partition(3)[0]
	s := newStory(3, 0)
	s.forget("c-0-0")
	s.members["c-0-0"].Pod.UID = "pod-2"
	offered := func() bool {
		s.agree(func(peers []Peer) []Peer { return append(peers, former(first)) })
		return slices.ContainsFunc(s.next().Blocked, func(b Blocked) bool { return strings.Contains(b.Message, "accept-data-loss") })
	}
	if offered() {
		t.Error("the loss of the keys of c-0-0 is offered")
	}
	s.members["c-0-0"].Server.Keys = 0
	if !offered() {
		t.Error("not offered although no server has a key of c-0-0")
	}
}

// Two servers of one ID: nothing is done with either, and a human is asked (N8).
func TestTwins(t *testing.T) {
	s := newStory(3, 1)
	s.members["c-0-1"].Server = s.members["c-1-0"].Server
	s.agree(nil)
	p := s.next()
	if diff := cmp.Diff([]string{"human ServerRunsTwice 1"}, about(p)); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	for _, a := range p.Actions {
		t.Errorf("done all the same: %T %+v", a, a)
	}
	if h := Examine(s.want, s.seen); h.Joined || h.Whole() {
		t.Error("the cluster counts as whole")
	}
	// With one address it is one server that was asked twice.
	s.members["c-0-1"].Pod.Addr = s.members["c-1-0"].Pod.Addr
	if got := about(s.next()); got != nil {
		t.Errorf("%q", got)
	}
}

// Nothing is taken over from a server that runs twice, whatever a human vouches
// for those that are silent.
func TestTwinsAreNotTakenOver(t *testing.T) {
	s := newStory(1, 2)
	s.members["c-0-1"].Server = s.members["c-0-0"].Server
	s.members["c-0-2"].Server.Link.Up = false
	s.want.Vouched = true
	s.agree(nil)
	if diff := cmp.Diff([]string{"human ServerRunsTwice 0"}, about(s.next())); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
}
