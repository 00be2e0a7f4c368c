package topology

import (
	"slices"
	"strings"
	"testing"
)

// minority is a cluster of three shards of which the primaries of 0 and 1 are
// on machines that are gone, so that one of three has a vote.
func minority() *story {
	s := newStory(3, 1)
	s.agree(nil)
	for _, name := range []Name{"c-0-0", "c-1-0"} {
		m := s.members[name]
		m.Last = Last{ID: m.Server.ID, Pod: m.Pod.UID, Machine: "machine-of-" + string(name)}
		m.Pod.Terminating = true
		s.gone(name, "it does not answer in time")
	}
	return s
}

func TestTakeOver(t *testing.T) {
	fence := func(s *story, name Name) { s.members[name].Fenced = "its machine is out of service" }
	unlink := func(s *story, name Name) { s.members[name].Server.Link.Up = false }
	cases := []struct {
		name   string
		change func(*story)
		want   []string // actions and blocks about taking over
	}{
		{"silence is no evidence", func(s *story) { unlink(s, "c-0-1"); unlink(s, "c-1-1") },
			[]string{"wait MajorityLost 0", "wait MajorityLost 1"}},
		{"one shard at a time", func(s *story) { fence(s, "c-0-0"); fence(s, "c-1-0") }, []string{"TakeOver c-0-1"}},
		{"only with what the others agreed on in mind", func(s *story) {
			fence(s, "c-0-0")
			fence(s, "c-1-0")
			s.members["c-2-0"].Server.CurrentEpoch = 9
		}, nil},
		{"only what is fenced", func(s *story) { fence(s, "c-1-0") }, []string{"wait MajorityLost 0", "TakeOver c-1-1"}},
		{"a human vouches", func(s *story) { s.want.Vouched = true; unlink(s, "c-0-1") }, []string{"TakeOver c-0-1"}},
		{"a human vouches for one that is still connected", func(s *story) { s.want.Vouched = true },
			[]string{"wait MajorityLost 0", "wait MajorityLost 1"}},
		{"no copy", func(s *story) { fence(s, "c-0-0"); s.members["c-0-1"].Server.Link.HoldsData = false }, []string{"wait MajorityLost 1"}},
		{"it is just being started", func(s *story) {
			for _, name := range []Name{"c-0-0", "c-1-0"} {
				m := s.members[name]
				m.Pod.Terminating, m.Pod.Machine, m.Refused = false, "m", true
			}
		}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := minority()
			c.change(s)
			var got []string
			for _, line := range tell(s.next()) {
				if strings.HasPrefix(line, "TakeOver") || strings.Contains(line, "MajorityLost") || strings.HasPrefix(line, "FailOver") {
					got = append(got, line)
				}
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if !slices.Equal(got, c.want) {
				t.Errorf("plan says %q, want %q (N11)", got, c.want)
			}
		})
	}
}

// Where a majority is left, it is asked, also with a fence.
func TestNoTakeOverWithAMajority(t *testing.T) {
	s := newStory(3, 1)
	s.agree(nil)
	m := s.members["c-0-0"]
	m.Last, m.Fenced = Last{ID: m.Server.ID, Pod: m.Pod.UID}, "its container has ended"
	s.gone("c-0-0", "nothing listens at its address")
	lines := tell(s.next())
	if !slices.Contains(lines, "FailOver c-0-1") || slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "TakeOver") }) {
		t.Errorf("%q", lines)
	}
}

// The sentence names who is lost, where, and what a human can do.
func TestMajorityLostIsExplained(t *testing.T) {
	for _, b := range minority().next().Blocked {
		if b.Reason != ReasonMajorityLost {
			continue
		}
		for _, part := range []string{"c-0-0", "machine-of-c-0-0", "1 of 3", "c-0-1", "node.kubernetes.io/out-of-service", "valkey.io/takeover-unfenced=true"} {
			if !strings.Contains(b.Message, part) {
				t.Errorf("%q lacks %q", b.Message, part)
			}
		}
		return
	}
	t.Error("nothing is said")
}

// Of replicas that have the same, the one with the lowest ID inherits, whatever
// the order of their names is: the pod of the primary decides in the same way.
func TestHeirOfEquals(t *testing.T) {
	for _, lowest := range []Name{"c-0-1", "c-0-2"} {
		s := newStory(1, 2)
		for _, name := range []Name{"c-0-1", "c-0-2"} {
			id := NodeID("b-" + name)
			if name == lowest {
				id = NodeID("a-" + name)
			}
			s.members[name].Server.ID = id
		}
		s.agree(nil)
		m := s.members["c-0-0"]
		m.Last, m.Fenced = Last{ID: m.Server.ID, Pod: m.Pod.UID}, "its container has ended"
		s.gone("c-0-0", "nothing listens at its address")
		if lines := tell(s.next()); !slices.Contains(lines, "TakeOver "+string(lowest)) {
			t.Errorf("the plan says %q, want %s to take over", lines, lowest)
		}
	}
}
