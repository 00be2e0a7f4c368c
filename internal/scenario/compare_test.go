package scenario

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/valkey-operator/valkey-operator/internal/topology"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/valkeytest"
)

// outcome is how a life ended: each member's role, its slots and the number of
// its keys.
type outcome map[topology.Name]string

func (f *Fleet) outcome() outcome {
	end := outcome{}
	for _, name := range f.names() {
		if o, err := f.ask(f.nodes[name]); err == nil {
			end[name] = fmt.Sprintf("%s of %v", o.Self().Role(), o.Self().Slots)
		}
	}
	return end
}

// plainSteps are what also happens to real processes, with time to settle in
// between: what then comes of it is not a matter of chance. (A server that is
// killed soon after it became a replica may never start again: facts 10.)
var plainSteps = rapid.Custom(func(t *rapid.T) Step {
	return Step{
		Fault:  rapid.SampledFrom([]Fault{Crash, Delete, ForceDelete, DeleteAll, SaveAll, Wipe, RollOut, DeleteNode}).Draw(t, "fault"),
		Member: rapid.IntRange(0, 11).Draw(t, "member"),
	}
})

var plainStories = rapid.Custom(func(t *rapid.T) Story {
	return Story{
		Seed:     1,
		Shards:   rapid.IntRange(3, 4).Draw(t, "shards"),
		Replicas: 1,
		Steps:    rapid.SliceOfN(plainSteps, 1, 3).Draw(t, "steps"),
	}
})

// The first of these are the same on every run: a crash with the servers' own
// failover, all addresses new, a volume lost, whose old ID is forgotten, and
// servers that lost their identity: with a replica, with a sibling's data, and as
// the only copy.
var comparedStories = []Story{
	threeByOne(Step{Crash, 0, 0}),
	threeByOne(Step{DeleteAll, 0, 0}),
	threeByOne(Step{Wipe, 2, 0}),
	threeByOne(Step{RollOut, 0, 0}),
	threeByOne(Step{EmptyConf, 0, 0}, Step{CutConf, 3, 0}),
	threeByOne(Step{OutrankedConf, 1, 0}),
	threeByOne(Step{SwapVolume, 2, 0}),
	{Seed: 1, Shards: 2, Steps: []Step{{EmptyConf, 0, 0}}},
}

// Real servers and simulated ones come to the same end. VALKEY_COMPARE is how
// many random stories are told besides the fixed ones.
func TestProcessesEndAsSimulated(t *testing.T) {
	stories := comparedStories
	more, _ := strconv.Atoi(os.Getenv("VALKEY_COMPARE"))
	for i := range more {
		stories = append(stories, plainStories.Example(i))
	}
	valkeytest.Each(t, func(t *testing.T, bin valkeytest.Binary) {
		version, err := valkey.ParseVersion(bin.Version + ".0")
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range stories {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				s.Version = version
				want := s.endOn(t, simulation(s.Seed, s.Version))
				got := s.endOn(t, Processes{T: t, Bin: bin})
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%v ends otherwise than simulated (-simulated +real):\n%s", s, diff)
				}
			})
		}
	})
}

// endOn tells the story, settling after each step, and returns the end.
func (s Story) endOn(t *testing.T, ground Ground) outcome {
	t.Helper()
	f := s.cluster(t.Context(), ground)
	f.mustSettle(t)
	for _, step := range s.Steps {
		f.writeSome(t.Context())
		name := f.Want.Members[step.Member%len(f.Want.Members)].Name
		f.note("FAULT %s (%s): %t", step.Fault, name, f.strike(step.Fault, f.nodes[name]))
		f.mustSettle(t)
		f.Time(3 * time.Second)
	}
	return f.outcome()
}

func (f *Fleet) writeSome(ctx context.Context) {
	for range 2 * loadKeys {
		f.load.write(ctx, f)
	}
	f.Time(time.Second)
	f.load.confirm(f)
}

func (f *Fleet) mustSettle(t *testing.T) {
	t.Helper()
	if problems := append(f.violations, f.settle(t.Context(), All, peace)...); problems != nil {
		t.Fatalf("on %T it ends with:%s\n%s", f.ground, list(problems), strings.Join(f.chronicle, "\n"))
	}
}
