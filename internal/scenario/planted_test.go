package scenario

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/valkey-operator/valkey-operator/internal/topology"
)

// The judges are judged: each of these does what must never be done, and must
// be told so.

// A crashed primary that is restarted at once from what it had saved takes its
// replicas' writes with it, also with the operator stopped; behind the gate it
// does not (N9).
func TestGateKeepsWrites(t *testing.T) {
	for _, gated := range []bool{true, false} {
		f := written(t)
		f.Ungated = !gated
		for _, name := range f.names() {
			f.strike(Crash, f.nodes[name])
		}
		for range 300 {
			f.Time(100 * time.Millisecond)
		}
		if lost := f.load.missing(t.Context(), f); (lost == nil) != gated {
			t.Errorf("with the gate %t: lost %v", gated, lost)
		}
	}
}

// written is a cluster with writes that every server has and no disk.
func written(t *testing.T) *Fleet {
	t.Helper()
	f := NewFleet(simulation(1, versions[2]), 3, 1)
	f.context = t.Context()
	f.Settle(t, All)
	f.writeSome(t.Context())
	if len(f.load.kept) != loadKeys {
		t.Fatalf("%d keys were confirmed by all servers, want %d", len(f.load.kept), loadKeys)
	}
	return f
}

// bad is a planner that adds to every plan once a cluster is formed.
func bad(add func(topology.Desired, topology.Observed) []topology.Action) Planner {
	return func(want topology.Desired, seen topology.Observed) topology.Plan {
		plan := topology.Next(want, seen)
		if topology.Examine(want, seen).Whole() {
			plan.Actions = append(plan.Actions, add(want, seen)...)
		}
		return plan
	}
}

func TestPlantedFaultsAreFound(t *testing.T) {
	target := func(m topology.Member) topology.Target { return topology.Target{Name: m.Name, ID: m.Server.ID} }
	for invariant, planner := range map[string]Planner{
		"N5": bad(func(_ topology.Desired, seen topology.Observed) []topology.Action {
			return []topology.Action{topology.Forget{Target: target(seen.Members[0]), Gone: seen.Members[1].Server.ID}}
		}),
		"N6": bad(func(want topology.Desired, seen topology.Observed) (rolls []topology.Action) {
			for _, m := range seen.Members {
				if m.Template != want.Inputs {
					rolls = append(rolls, topology.Roll{Target: target(m)})
				}
			}
			return rolls
		}),
	} {
		t.Run(invariant, func(t *testing.T) {
			story := threeByOne(Step{RollOut, 0, settled})
			problems := story.Tell(t.Context(), planner)
			if !slices.ContainsFunc(problems, func(p string) bool { return strings.HasPrefix(p, invariant) }) {
				t.Errorf("nobody says %s:%s", invariant, list(problems))
			}
		})
	}
}

// A story that is told twice goes the same way, or it could not be looked into.
func TestStoriesRepeat(t *testing.T) {
	for i := range 10 {
		s := stories.Example(i)
		_, first := s.tell(t.Context(), topology.Next)
		_, second := s.tell(t.Context(), topology.Next)
		if diff := cmp.Diff(first, second); diff != "" {
			t.Fatalf("%v goes another way the second time:\n%s", s, diff)
		}
	}
}
