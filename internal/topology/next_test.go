package topology

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

// A cluster that does well is left alone (A3).
func TestNothingToDo(t *testing.T) {
	s := newStory(3, 1)
	s.agree(nil)
	expect(t, s.next())
	if h := Examine(s.want, s.seen); !h.Whole() {
		t.Errorf("not whole: %+v", h)
	}
}

func TestCreateAllAtOnce(t *testing.T) {
	s := newStory(2, 1)
	s.members = nil
	var created []string
	for _, line := range tell(s.next()) {
		if strings.HasPrefix(line, "Create ") {
			created = append(created, line)
		}
	}
	want := []string{"Create c-0-0", "Create c-0-1", "Create c-1-0", "Create c-1-1"}
	if diff := cmp.Diff(want, created); diff != "" {
		t.Error(diff)
	}
}

func TestFoundingNeedsEverybody(t *testing.T) {
	s := newStory(2, 1)
	s.blank()
	if lines := tell(s.next()); !slices.Contains(lines, "Claim c-0-0 0-8191") || !slices.Contains(lines, "Claim c-1-0 8192-16383") {
		t.Errorf("two empty shards are not founded: %q", lines)
	}
	// One that cannot be asked may have owned any slot (N3).
	s.gone("c-1-1", "nothing listens at its address")
	for _, line := range tell(s.next()) {
		if strings.HasPrefix(line, "Claim") {
			t.Errorf("founded without c-1-1: %s", line)
		}
	}
}

// A primary waits two seconds after its start before it serves; the server
// that has been up for longer founds the shard. It gets the highest epoch, and
// stays the founder whoever is ready then.
func TestFounderIsWhoIsReady(t *testing.T) {
	s := newStory(2, 1)
	s.blank()
	for _, name := range []Name{"c-0-0", "c-1-0", "c-1-1"} {
		s.members[name].Pod.Ready = false
	}
	claims := []string{"Claim c-0-1 0-8191", "Claim c-1-0 8192-16383"}
	plan := s.next()
	for _, a := range plan.Actions {
		if e, ok := a.(SetEpoch); ok {
			s.members[e.Name].Server.Epoch = e.Epoch
		}
	}
	s.members["c-0-0"].Pod.Ready = true
	for _, plan := range []Plan{plan, s.next()} {
		for _, want := range claims {
			if lines := tell(plan); !slices.Contains(lines, want) {
				t.Errorf("no %q in %q", want, lines)
			}
		}
	}
}

// epochsOf returns what SetEpoch gives to whom.
func epochsOf(p Plan) map[Name]uint64 {
	given := map[Name]uint64{}
	for _, a := range p.Actions {
		if e, ok := a.(SetEpoch); ok {
			given[e.Name] = e.Epoch
		}
	}
	return given
}

// Every new server gets an epoch of its own, before it is introduced to anybody,
// and whoever becomes a replica one below its primary's.
func TestEpochsAreDistinct(t *testing.T) {
	s := newStory(2, 1)
	s.blank()
	s.gone("c-0-1", "its pod has no address yet")
	if diff := cmp.Diff(map[Name]uint64{"c-0-0": 17, "c-1-0": 18, "c-1-1": 16}, epochsOf(s.next())); diff != "" {
		t.Error(diff)
	}
	s.members["c-0-0"].Server.Epoch = 17
	s.members["c-1-0"].Server.Epoch = 18
	plan := s.next()
	if diff := cmp.Diff(map[Name]uint64{"c-1-1": 16}, epochsOf(plan)); diff != "" {
		t.Error(diff)
	}
	for _, line := range tell(plan) {
		if strings.HasPrefix(line, "Meet") && strings.Contains(line, "c-1-1") {
			t.Errorf("%s, and c-1-1 has no epoch yet", line)
		}
	}
}

// However many servers come in whatever order, no two have one epoch, and a
// shard's first one has its highest.
func TestEpochsHaveRoom(t *testing.T) {
	s := newStory(3, room)
	s.blank()
	var late []Name
	for i, w := range s.want.Members {
		if i%3 == 1 {
			late = append(late, w.Name)
		}
	}
	kept := map[Name]Server{}
	for _, name := range late {
		kept[name] = *s.members[name].Server
		s.gone(name, "its pod has no address yet")
	}
	first := map[int]uint64{}
	seen := map[uint64]Name{}
	for round := range 2 {
		for name, epoch := range epochsOf(s.next()) {
			if other := seen[epoch]; other != "" {
				t.Errorf("%s and %s have epoch %d", name, other, epoch)
			}
			seen[epoch] = name
			m := s.members[name]
			m.Server.Epoch = epoch
			if round == 0 {
				first[m.Shard] = max(first[m.Shard], epoch)
			}
		}
		for _, name := range late {
			if s.members[name].Server == nil {
				server := kept[name]
				s.members[name].Server = &server
			}
		}
	}
	if len(seen) != len(s.want.Members) {
		t.Errorf("%d of %d have an epoch", len(seen), len(s.want.Members))
	}
	for _, line := range tell(s.next()) {
		if rest, claim := strings.CutPrefix(line, "Claim "); claim {
			m := s.members[Name(strings.Fields(rest)[0])]
			if m.Server.Epoch != first[m.Shard] {
				t.Errorf("%s has epoch %d, and its shard's highest is %d", line, m.Server.Epoch, first[m.Shard])
			}
		}
	}
}

// newcomer makes the last member a server that has just been started for the
// first time.
func (s *story) newcomer() {
	name := s.want.Members[len(s.want.Members)-1].Name
	fresh := s.members[name].Server
	s.agree(func(peers []Peer) []Peer { return peers[:len(peers)-1] })
	*fresh = Server{ID: "fresh", Role: RolePrimary, NodeTimeout: fresh.NodeTimeout, View: NewView(nil)}
}

// A server that joins a shard gets an epoch below its primary's. Where there is
// none it leaves room for elections, which take the next ones at any time.
func TestEpochOfNewcomer(t *testing.T) {
	for _, test := range []struct{ primary, want uint64 }{{5, 4}, {3, 30 + 3 + 1}} {
		s := newStory(3, 1)
		s.members["c-2-0"].Server.Epoch = test.primary
		s.members["c-0-0"].Server.CurrentEpoch = 30
		s.newcomer()
		if diff := cmp.Diff(map[Name]uint64{"c-2-1": test.want}, epochsOf(s.next())); diff != "" {
			t.Errorf("epoch of the primary %d: %s", test.primary, diff)
		}
	}
}

// A primary that does not answer may have what a first server begins with, and
// one that is yet to be elected takes one of the next epochs.
func TestEpochOfNewcomerWithoutPrimary(t *testing.T) {
	s := newStory(1, 1)
	s.newcomer()
	s.members["c-0-0"].Last = Last{ID: s.members["c-0-0"].Server.ID}
	s.gone("c-0-0", "nothing listens at its address")
	if diff := cmp.Diff(map[Name]uint64{"c-0-1": room}, epochsOf(s.next())); diff != "" {
		t.Error(diff)
	}
	s = newStory(1, 2)
	s.newcomer()
	s.members["c-0-0"].Server.Role, s.members["c-0-0"].Server.Slots = RoleReplica, slots.Set{}
	if diff := cmp.Diff(map[Name]uint64{"c-0-2": room}, epochsOf(s.next())); diff != "" {
		t.Error(diff)
	}
}

// A replica that its primary, or anybody, goes on taking for a primary with a
// higher epoch than its primary's is believed again once that is not so.
func TestPrimaryOutranksItsReplica(t *testing.T) {
	disbelieved := func(viewer Name) *story {
		s := newStory(3, 1)
		s.agree(func(p []Peer) []Peer { return p })
		s.see(viewer, "id-c-1-1", func(p *Peer) { p.Role, p.Primary, p.Epoch = RolePrimary, "", 9 })
		for _, m := range s.members {
			m.Server.CurrentEpoch = 9
		}
		return s
	}
	for _, viewer := range []Name{"c-1-0", "c-0-0", "c-2-1"} {
		if lines := tell(disbelieved(viewer).next()); !slices.Equal(lines[:1], []string{"Raise c-1-0"}) {
			t.Errorf("%s disbelieves c-1-1: %q", viewer, lines)
		}
	}
	for name, change := range map[string]func(*story){
		"its primary has the higher epoch":         func(s *story) { s.see("c-0-0", "id-c-1-1", func(p *Peer) { p.Epoch = 1 }) },
		"the primary has not heard of an election": func(s *story) { s.members["c-2-0"].Server.CurrentEpoch = 12 },
		"somebody is suspected":                    func(s *story) { s.see("c-2-0", "id-c-0-1", func(p *Peer) { p.Suspect = true }) },
		"somebody does not answer":                 func(s *story) { s.gone("c-2-1", "it does not answer in time") },
		"it is not in sync":                        func(s *story) { s.members["c-1-1"].Server.Link.Up = false },
	} {
		s := disbelieved("c-0-0")
		change(s)
		if lines := tell(s.next()); slices.Contains(lines, "Raise c-1-0") {
			t.Errorf("raised although %s: %q", name, lines)
		}
	}
}

// see edits what one server knows of another.
func (s *story) see(viewer Name, id NodeID, edit func(*Peer)) {
	server := s.members[viewer].Server
	peers := slices.Clone(server.View.Peers)
	for i := range peers {
		if peers[i].ID == id {
			edit(&peers[i])
		}
	}
	server.View = NewView(peers)
}

// Slots that a view gives to a server that is not there are lost, not free
// (N10).
func TestLostSlotsAreNotFree(t *testing.T) {
	s := newStory(3, 0)
	s.agree(func(peers []Peer) []Peer {
		peers[1].ID, peers[1].Failed = "id-of-before", true
		return peers
	})
	lost := s.members["c-1-0"].Server
	lost.Slots, lost.Keys, lost.Serving = slots.Set{}, 0, false
	p := s.next()
	for _, a := range p.Actions {
		if _, claim := a.(Claim); claim {
			t.Errorf("lost slots are covered: %+v", a)
		}
	}
	if !slices.Contains(tell(p), "human SlotsWithoutOwner -1") {
		t.Errorf("nothing said of lost slots: %q", tell(p))
	}
	if !slices.ContainsFunc(p.Blocked, func(b Blocked) bool {
		return strings.Contains(b.Message, "annotate this cluster with valkey.io/accept-data-loss=5461-10922")
	}) {
		t.Errorf("not said what a human can do: %+v", p.Blocked)
	}
	// Given up in part they stay as they are; given up as a whole the server is
	// forgotten with them.
	s.want.Accepted = slots.Of(slots.Range{First: 5461, Last: 9000})
	if lines := tell(s.next()); slices.Contains(lines, "Forget c-0-0 id-of-before") {
		t.Errorf("forgotten with slots that were not given up: %q", lines)
	}
	s.want.Accepted = slots.Of(slots.Range{First: 5461, Last: 10922})
	if lines := tell(s.next()); !slices.Contains(lines, "Forget c-0-0 id-of-before") {
		t.Errorf("not forgotten: %q", lines)
	}
}

func TestStrayClaimsBlockFounding(t *testing.T) {
	s := newStory(1, 0)
	s.blank()
	s.seen.StrayClaims = []string{"valkey-c-1-0-data"}
	p := s.next()
	if lines := tell(p); slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "Claim") }) || !p.Blocked[0].Human || !strings.Contains(p.Blocked[0].Message, "valkey-c-1-0-data") {
		t.Errorf("founded over retained claims: %q", lines)
	}
}

// Servers are introduced in full mesh, at their new addresses too.
func TestMeetAfterAddressesChanged(t *testing.T) {
	s := newStory(1, 1)
	s.agree(nil)
	s.members["c-0-1"].Pod.Addr = s.members["c-0-0"].Pod.Addr
	s.members["c-0-0"].Pod.Addr = newStory(3, 3).members["c-2-2"].Pod.Addr
	lines := tell(s.next())
	for _, want := range []string{"Meet c-0-0 c-0-1", "Meet c-0-1 c-0-0"} {
		if !slices.Contains(lines, want) {
			t.Errorf("no %s in %q", want, lines)
		}
	}
}

// A member that is in contact with a living stranger is not introduced to the
// others: that would merge two clusters (N8).
func TestForeignServerIsNotMet(t *testing.T) {
	s := newStory(2, 0)
	s.agree(nil)
	stray := s.members["c-1-0"]
	stray.Server.View = NewView([]Peer{
		peerOf(stray), {ID: "stranger", Role: RolePrimary, Slots: slots.Of(slots.Range{First: 0, Last: 100}), Addr: stray.Pod.Addr},
	})
	p := s.next()
	if lines := tell(p); !slices.Contains(lines, "human ForeignServer 1") {
		t.Errorf("no refusal in %q", lines)
	}
	for _, a := range p.Actions {
		if _, meet := a.(Meet); meet {
			t.Errorf("introduced: %+v", a)
		}
	}
}

// elsewhere is an address of no member.
var elsewhere = netip.MustParseAddrPort("10.9.9.9:6379")

func TestForget(t *testing.T) {
	ghost := func(edit func(*Peer)) func([]Peer) []Peer {
		return func(peers []Peer) []Peer {
			g := Peer{ID: "ghost", Role: RoleReplica, Failed: true, Addr: elsewhere}
			edit(&g)
			return append(peers, g)
		}
	}
	forgets := func(s *story) int {
		n := 0
		for _, a := range s.next().Actions {
			if f, ok := a.(Forget); ok && f.Gone == "ghost" {
				n++
			}
		}
		return n
	}
	s := newStory(2, 0)
	s.agree(ghost(func(*Peer) {}))
	if n := forgets(s); n != 2 {
		t.Errorf("a failed stranger without slots is forgotten by %d of 2", n)
	}
	s.agree(ghost(func(p *Peer) { p.Failed, p.Addr = false, netip.AddrPort{} }))
	if n := forgets(s); n != 2 {
		t.Errorf("a stranger whose address nobody knows is forgotten by %d of 2", n)
	}
	keep := map[string]func(*story){
		"it owns slots": func(s *story) { s.agree(ghost(func(p *Peer) { p.Slots = slots.Of(slots.Range{First: 1, Last: 1}) })) },
		"no majority calls it failed": func(s *story) {
			s.agree(ghost(func(p *Peer) { p.Failed, p.Suspect = false, true }))
		},
		"a server does not answer": func(s *story) {
			s.agree(ghost(func(*Peer) {}))
			s.gone("c-1-0", "it does not answer in time")
		},
		"somebody replicates it": func(s *story) {
			s.members["c-1-0"].Server.Role, s.members["c-1-0"].Server.Primary = RoleReplica, "ghost"
			s.agree(ghost(func(*Peer) {}))
		},
	}
	for why, change := range keep {
		s := newStory(2, 0)
		change(s)
		if n := forgets(s); n > 0 {
			t.Errorf("forgotten although %s (N5)", why)
		}
	}
}

// A server that is not forgotten yet keeps the status from Ready (A6), and no
// pod from being replaced.
func TestLeftoverServerIsTold(t *testing.T) {
	s := newStory(2, 1)
	alive := func(peers []Peer) []Peer { return append(peers, Peer{ID: "ghost", Role: RoleReplica, Addr: elsewhere}) }
	s.agree(alive)
	expect(t, s.next(), "wait ForgettingServer -1")

	s.members["c-0-1"].Template, s.members["c-0-1"].Pod.Template = outdated, outdated
	s.agree(alive)
	expect(t, s.next(), "Roll c-0-1 pod-c-0-1/replica", "wait ForgettingServer -1")
}

// dead makes the server of c-0-0 one that is proven to be dead.
func dead(s *story) {
	s.agree(nil)
	s.gone("c-0-0", "nothing listens at its address")
	s.members["c-0-0"].Died = true
	for _, name := range []Name{"c-0-1", "c-0-2"} {
		s.members[name].Server.Link.Up = false
	}
}

func TestFailOverToTheBest(t *testing.T) {
	cases := []struct {
		name   string
		change func(*story)
		to     string
	}{
		{"furthest offset", func(s *story) { s.members["c-0-2"].Server.Link.Offset = 2000 }, "FailOver c-0-2"},
		{"first of equals", func(*story) {}, "FailOver c-0-1"},
		{"without proof", func(s *story) { s.members["c-0-0"].Died = false }, ""},
		{"a replica still has its link", func(s *story) { s.members["c-0-2"].Server.Link.Up = true }, ""},
		{"histories differ", func(s *story) { s.members["c-0-2"].Server.Link.History = "other" }, ""},
		{"never synchronised", func(s *story) {
			s.members["c-0-1"].Server.Link.HoldsData, s.members["c-0-2"].Server.Link.HoldsData = false, false
		}, ""},
		{"never written, but in sync before", func(s *story) {
			for _, name := range []Name{"c-0-1", "c-0-2"} {
				s.members[name].Server.Link = Link{HoldsData: true, History: "history-0"}
			}
		}, "FailOver c-0-1"},
		{"in the middle of a synchronisation", func(s *story) {
			s.members["c-0-1"].Server.Link.Syncing = true
		}, "FailOver c-0-2"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newStory(3, 2)
			dead(s)
			c.change(s)
			got := ""
			for _, line := range tell(s.next()) {
				if strings.HasPrefix(line, "FailOver") {
					got = line
				}
			}
			if got != c.to {
				t.Errorf("plan says %q, want %q (N11)", got, c.to)
			}
		})
	}
}

// A roll in its order: replicas first, the primary hands over, one at a time.
func TestRollNarrative(t *testing.T) {
	s := newStory(2, 1)
	for _, m := range s.members {
		m.Template, m.Pod.Template = outdated, outdated
	}
	s.agree(nil)
	var told []string
	for range 20 {
		p := s.next()
		if p.Done() {
			break
		}
		if len(p.Actions) != 1 {
			t.Fatalf("%d disruptions at once: %q (N6)", len(p.Actions), tell(p))
		}
		told = append(told, tell(p)[0])
		carryOut(s, p.Actions[0])
	}
	want := []string{
		"Roll c-0-1 pod-c-0-1/replica",
		"HandOver c-0-1",
		"Roll c-0-0 pod-c-0-0/replica",
		"Roll c-1-1 pod-c-1-1/replica",
		"HandOver c-1-1",
		"Roll c-1-0 pod-c-1-0/replica",
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// carryOut does what an action of a roll does to the world.
func carryOut(s *story, a Action) {
	m := s.members[a.On()]
	switch a.(type) {
	case Roll:
		m.Template, m.Pod.Template = current, current
	case HandOver:
		old := s.members[Name(strings.TrimPrefix(string(m.Server.Primary), "id-"))]
		m.Server.Role, m.Server.Slots, m.Server.Primary = RolePrimary, old.Server.Slots, ""
		old.Server.Role, old.Server.Slots, old.Server.Primary = RoleReplica, slots.Set{}, m.Server.ID
		m.Server.Link, old.Server.Link = Link{}, Link{Up: true, HoldsData: true, Offset: 1}
	}
	s.agree(nil)
}

func TestRollWaits(t *testing.T) {
	cases := map[string]func(*story){
		"a replaced pod is still terminating": func(s *story) {
			m := s.members["c-1-1"]
			m.Pod.Terminating, m.Pod.Template = true, outdated
			s.gone("c-1-1", "nothing listens at its address")
		},
		"a replica is not in sync":   func(s *story) { s.members["c-1-1"].Server.Link.Up = false },
		"a server loads its data":    func(s *story) { s.members["c-1-1"].Server.Loading = true },
		"a server does not answer":   func(s *story) { s.gone("c-1-1", "it does not answer in time") },
		"a pod is terminating":       func(s *story) { s.members["c-1-1"].Pod.Terminating = true },
		"a pod is not ready":         func(s *story) { s.members["c-1-1"].Pod.Ready = false },
		"a primary does not serve":   func(s *story) { s.members["c-1-0"].Server.Serving = false },
		"a node timeout is not back": func(s *story) { s.members["c-1-0"].Server.NodeTimeout = time.Second },
	}
	for why, change := range cases {
		s := newStory(2, 1)
		s.members["c-0-1"].Template, s.members["c-0-1"].Pod.Template = outdated, outdated
		s.agree(nil)
		change(s)
		for _, line := range tell(s.next()) {
			if strings.HasPrefix(line, "Roll") || strings.HasPrefix(line, "HandOver") {
				t.Errorf("%s although %s (N6)", line, why)
			}
		}
	}
}

// One sick shard does not keep the others from being rolled, as long as its
// trouble is not of the new template (A5).
func TestSickShardHoldsBackItself(t *testing.T) {
	sick := map[string]func(*story){
		"a server that does not answer": func(s *story) { s.gone("c-0-1", "it does not answer in time") },
		"a primary that is not there": func(s *story) {
			s.gone("c-0-0", "it does not answer in time")
			s.gone("c-0-1", "it does not answer in time")
		},
		"slots that are lost": func(s *story) {
			lost := s.members["c-0-0"].Server
			before := Peer{ID: lost.ID, Role: RolePrimary, Failed: true, Slots: lost.Slots}
			lost.ID, lost.Slots, lost.Keys, lost.Serving = "id-of-now", slots.Set{}, 0, false
			s.members["c-0-1"].Server.Link = Link{}
			s.agree(func(peers []Peer) []Peer { return append(peers, before) })
		},
	}
	for name, change := range sick {
		t.Run(name, func(t *testing.T) {
			s := newStory(3, 1)
			for _, m := range s.members {
				m.Template, m.Pod.Template = outdated, outdated
			}
			s.agree(nil)
			change(s)
			var rolls []string
			for _, line := range tell(s.next()) {
				if strings.HasPrefix(line, "Roll") || strings.HasPrefix(line, "HandOver") {
					rolls = append(rolls, line)
				}
			}
			if diff := cmp.Diff([]string{"Roll c-1-1 pod-c-1-1/replica"}, rolls); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Nothing else is disrupted while a shard that the roll has reached hands over:
// its old primary still has the old template then (N6).
func TestHandOverInProgressHoldsTheRoll(t *testing.T) {
	s := newStory(3, 1)
	for _, m := range s.members {
		m.Template, m.Pod.Template = outdated, outdated
	}
	m := s.members["c-0-1"]
	m.Template, m.Pod.Template = current, current
	s.agree(nil)
	carryOut(s, HandOver{Target: Target{Name: "c-0-1"}})
	s.members["c-0-0"].Server.Link.Up = false // it has yet to synchronise
	for _, line := range tell(s.next()) {
		if strings.HasPrefix(line, "Roll") || strings.HasPrefix(line, "HandOver") {
			t.Error(line)
		}
	}
}

// A primary hands over only where the others can vote for its replica.
func TestNoHandOverWithoutAMajority(t *testing.T) {
	s := newStory(3, 1)
	for _, m := range s.members {
		m.Template, m.Pod.Template = outdated, outdated
	}
	m := s.members["c-2-1"]
	m.Template, m.Pod.Template = current, current
	s.agree(nil)
	for _, name := range []Name{"c-0-0", "c-0-1", "c-1-0", "c-1-1"} {
		s.gone(name, "it does not answer in time")
	}
	for _, line := range tell(s.next()) {
		if strings.HasPrefix(line, "HandOver") {
			t.Errorf("%s with one of three votes", line)
		}
	}
}

// A pod in which no server runs is replaced though nothing else is well (A4);
// but not one that may hold the only copy of something (N2).
func TestStoppedPodIsReplaced(t *testing.T) {
	stop := func(volume, ran bool) *story {
		s := newStory(2, 0)
		s.agree(nil)
		m := s.members["c-0-0"]
		m.Template, m.Pod.Template, m.Pod.Stopped, m.Pod.Ran, m.Volume, m.Pod.Ready = outdated, outdated, true, ran, volume, false
		s.gone("c-0-0", "its container ends again and again")
		return s
	}
	rolls := func(s *story) bool {
		return slices.ContainsFunc(tell(s.next()), func(line string) bool { return strings.HasPrefix(line, "Roll c-0-0") })
	}
	for _, c := range []struct{ volume, ran, want bool }{{true, true, true}, {false, false, true}, {false, true, false}} {
		if got := rolls(stop(c.volume, c.ran)); got != c.want {
			t.Errorf("volume %t, server has run %t: replaced %t, want %t", c.volume, c.ran, got, c.want)
		}
	}
}

// The only copy of data is not restarted without a volume.
func TestOnlyCopyIsKept(t *testing.T) {
	s := newStory(1, 0)
	m := s.members["c-0-0"]
	m.Template, m.Pod.Template, m.Volume = outdated, outdated, false
	s.agree(nil)
	expect(t, s.next(), "human DataWithoutCopy 0")
	s.want.Accepted = slots.Of(slots.Range{First: 0, Last: 5000}) // not all of it
	expect(t, s.next(), "human DataWithoutCopy 0")
	s.want.Accepted = slots.All()
	expect(t, s.next(), "Roll c-0-0 pod-c-0-0/primary")
	m.Server.Keys = 0
	expect(t, s.next(), "Roll c-0-0 pod-c-0-0/primary")
}

// A ValkeyNode that a user deletes is let go once nothing depends on it.
func TestRelease(t *testing.T) {
	s := newStory(2, 1)
	s.agree(nil)
	for _, name := range []Name{"c-0-1"} {
		s.members[name].Deleting, s.members[name].Protected = true, true
	}
	expect(t, s.next(), "Release c-0-1")

	s = newStory(2, 1)
	s.agree(nil)
	s.members["c-0-0"].Deleting, s.members["c-0-0"].Protected = true, true
	expect(t, s.next(), "HandOver c-0-1")

	s = newStory(2, 0)
	s.agree(nil)
	s.members["c-0-0"].Deleting, s.members["c-0-0"].Protected = true, true
	expect(t, s.next(), "wait ReleasingNode 0")
}

// Equal arguments give equal plans.
func TestNextIsDeterministic(t *testing.T) {
	s := newStory(5, 2)
	s.blank()
	first := tell(s.next())
	for range 20 {
		if diff := cmp.Diff(first, tell(s.next())); diff != "" {
			t.Fatal(diff)
		}
	}
}
