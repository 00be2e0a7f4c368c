package scenario

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/valkey-operator/valkey-operator/internal/topology"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

var versions = []valkey.Version{{Major: 8, Minor: 0, Patch: 1}, {Major: 8, Minor: 1, Patch: 1}, {Major: 9, Minor: 1, Patch: 2}}

// faults that random stories are made of.
var faults = []Fault{
	Calm, Crash, Delete, ForceDelete, LoseMachine, LoseMajority, OutOfService, DeleteAll, KillAll, SaveAll, Isolate, Blind, Hang, Lag, Mend, Wipe, Restore,
	EmptyConf, CutConf, OutrankedConf, SwapVolume, RollOut, RollBad, DeleteNode, ShortTimeout,
}

var steps = rapid.Custom(func(t *rapid.T) Step {
	return Step{
		Fault:  rapid.SampledFrom(faults).Draw(t, "fault"),
		Member: rapid.IntRange(0, 11).Draw(t, "member"),
		Wait:   time.Duration(rapid.IntRange(0, 8000).Draw(t, "wait")) * time.Millisecond,
	}
})

var stories = rapid.Custom(func(t *rapid.T) Story {
	return Story{
		Seed:      rapid.Uint64Range(1, 1<<20).Draw(t, "seed"),
		Version:   rapid.SampledFrom(versions).Draw(t, "version"),
		Shards:    rapid.IntRange(1, 4).Draw(t, "shards"),
		Replicas:  rapid.IntRange(0, 2).Draw(t, "replicas"),
		NoVolumes: rapid.Bool().Draw(t, "no volumes"),
		Operators: rapid.IntRange(0, 2).Draw(t, "operators"),
		Steps:     rapid.SliceOfN(steps, 0, 6).Draw(t, "steps"),
	}
})

// Whatever happens to a cluster, no invariant is broken on the way, and once
// faults stop it becomes what was asked for (A1).
func TestAnyStoryEndsWell(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := stories.Draw(rt, "story")
		if problems := s.Tell(t.Context(), topology.Next); problems != nil {
			rt.Fatalf("%v ends with:%s", s, list(problems))
		}
	})
}
