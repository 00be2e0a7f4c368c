package scenario

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// Story is one life of a cluster, as plain data that can be told again.
type Story struct {
	Seed             uint64
	Version          valkey.Version // of the servers; zero is the newest
	Shards, Replicas int
	NoVolumes        bool
	// Operators at work at the same time until the end of the story; 0 is one
	// that carries out every plan at once.
	Operators int
	Steps     []Step
}

// Step is a fault, and how long until the next.
type Step struct {
	Fault  Fault
	Member int // index into the wanted members
	Wait   time.Duration
}

func (s Story) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Story{Seed: %d, Version: %#v, Shards: %d, Replicas: %d, NoVolumes: %t, Operators: %d, Steps: []Step{",
		s.Seed, s.Version, s.Shards, s.Replicas, s.NoVolumes, s.Operators)
	for _, step := range s.Steps {
		fmt.Fprintf(&b, "\n\t{%q, %d, %d * time.Millisecond},", step.Fault, step.Member, step.Wait.Milliseconds())
	}
	return b.String() + "}}"
}

// peace is how long a cluster has, once faults have stopped, to become what was
// asked for (A1). It is longer than a forgotten node stays banned.
const peace = 2 * time.Minute

// Tell lets a cluster live through the story, and returns what went wrong:
// invariants that were broken on the way, and what is missing in the end.
func (s Story) Tell(ctx context.Context, plan Planner) []string {
	problems, _ := s.tell(ctx, plan)
	return problems
}

// tell also returns what happened.
func (s Story) tell(ctx context.Context, plan Planner) (problems, chronicle []string) {
	f := s.cluster(ctx, simulation(s.Seed, s.Version))
	f.Plan = plan
	problems = s.on(ctx, f)
	return problems, f.chronicle
}

// cluster is the cluster that the story is about.
func (s Story) cluster(ctx context.Context, ground Ground) *Fleet {
	f := NewFleet(ground, s.Shards, s.Replicas)
	f.Volumes, f.context = !s.NoVolumes, ctx
	return f
}

// on lets f live through the story.
func (s Story) on(ctx context.Context, f *Fleet) (problems []string) {
	chance := rand.New(rand.NewPCG(s.Seed, 0)) // chance here must be repeatable
	operators := operatorsOf(s.Operators)
	f.live(ctx, operators, chance, 6*time.Second)
	for _, step := range s.Steps {
		name := f.Want.Members[step.Member%len(f.Want.Members)].Name
		f.note("FAULT %s (%s): %t", step.Fault, name, f.strike(step.Fault, f.nodes[name]))
		f.live(ctx, operators, chance, step.Wait)
	}
	f.mend()
	if strings.HasPrefix(f.Want.Inputs, badTemplate) {
		f.rollOut("good")
	}
	f.Want.Vouched = true // whatever is silent now is dead
	f.note("PEACE")
	problems = append(f.violations, f.settle(ctx, All, peace)...)
	if problems != nil {
		f.note("still planned: %+v", f.Plan(f.Want, f.Observe(ctx)))
	}
	return problems
}
