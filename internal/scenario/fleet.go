package scenario

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/act"
	"github.com/valkey-operator/valkey-operator/internal/observe"
	"github.com/valkey-operator/valkey-operator/internal/topology"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/valkeytest"
)

// inputs stands for the hash of a user's inputs.
const inputs = "inputs-1"

// Fleet is a cluster of server processes that play the pods.
type Fleet struct {
	Want    topology.Desired
	Dialer  valkey.Dialer
	Servers map[topology.Name]*valkeytest.Server
	// Gone are members whose process has been killed.
	Gone map[topology.Name]bool
	// Templates are the inputs that the pods were started from.
	Templates map[topology.Name]string
}

// NewFleet starts the processes of a cluster that has yet to be formed.
func NewFleet(t testing.TB, bin valkeytest.Binary, shards, replicas int) *Fleet {
	t.Helper()
	f := &Fleet{
		Want:      Desired(shards, replicas),
		Dialer:    valkey.TCP{},
		Servers:   map[topology.Name]*valkeytest.Server{},
		Gone:      map[topology.Name]bool{},
		Templates: map[topology.Name]string{},
	}
	servers := valkeytest.Start(t, bin, len(f.Want.Members), valkeytest.Options{Settings: []string{
		"cluster-node-timeout 2000",
		"cluster-require-full-coverage no",
		"cluster-allow-replica-migration no",
		"repl-diskless-sync-delay 0",
	}})
	for i, n := range f.Want.Members {
		f.Servers[n.Name] = servers[i]
		f.Templates[n.Name] = inputs
	}
	return f
}

// Desired is a cluster of that shape, with the timeouts of the operator.
func Desired(shards, replicas int) topology.Desired {
	want := topology.Desired{Shards: shards, NodeTimeout: 2 * time.Second, Inputs: inputs}
	for shard := range shards {
		for index := range 1 + replicas {
			name := topology.Name(fmt.Sprintf("c-%d-%d", shard, index))
			want.Members = append(want.Members, topology.Wanted{Name: name, Shard: shard, Index: index})
		}
	}
	return want
}

func (f *Fleet) targets() map[topology.Name]valkey.Target {
	targets := map[topology.Name]valkey.Target{}
	for name, s := range f.Servers {
		if !f.Gone[name] {
			targets[name] = s.Target()
		}
	}
	return targets
}

// Observe looks at the whole fleet.
func (f *Fleet) Observe(ctx context.Context) topology.Observed {
	answers := observe.Servers(ctx, f.Dialer, f.targets())
	var seen topology.Observed
	for _, n := range f.Want.Members {
		m := topology.Member{Name: n.Name, Shard: n.Shard, Index: n.Index, Template: f.Templates[n.Name], Volume: true}
		if !f.Gone[n.Name] {
			answer := answers[n.Name]
			m.Pod = &topology.Pod{
				UID:      topology.PodUID(n.Name),
				Addr:     f.Servers[n.Name].Addr(),
				Template: f.Templates[n.Name],
				Ready:    answer.Err == nil,
				Ran:      true,
			}
			m.Server = answer.Server
			if answer.Err != nil {
				m.Unknown = observe.Clause(answer.Err)
			}
		}
		seen.Members = append(seen.Members, m)
	}
	return seen
}

// Pass observes, plans, and carries out as many actions as choose leaves of
// the plan. It returns the plan and how the cluster did before it.
func (f *Fleet) Pass(ctx context.Context, t testing.TB, choose func([]topology.Action) []topology.Action) (topology.Plan, topology.Health) {
	t.Helper()
	seen := f.Observe(ctx)
	plan := topology.Next(f.Want, seen)
	health := topology.Examine(f.Want, seen)
	for _, r := range act.Run(ctx, choose(plan.Actions), act.Servers{Dialer: f.Dialer, Targets: f.targets()}, f) {
		if r.Err != nil {
			t.Logf("%s: %v", r.Action.Explain().Message, r.Err)
		}
	}
	return plan, health
}

// All carries out the whole plan.
func All(actions []topology.Action) []topology.Action { return actions }

// OnlyFirst is an operator that dies after every single action.
func OnlyFirst(actions []topology.Action) []topology.Action { return actions[:min(1, len(actions))] }

// Settle makes passes until nothing is left to do and the cluster is whole.
func (f *Fleet) Settle(t testing.TB, choose func([]topology.Action) []topology.Action) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var plan topology.Plan
	var health topology.Health
	for ctx.Err() == nil {
		if plan, health = f.Pass(ctx, t, choose); plan.Done() && health.Whole() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("the cluster does not settle\nhealth: %+v\nplan: %+v", health, plan)
}

// Create is never needed: the members of a fleet exist.
func (f *Fleet) Create(context.Context, topology.Name) error { return nil }

// Roll restarts the process, as a pod with a volume would be.
func (f *Fleet) Roll(_ context.Context, name topology.Name, _ topology.Guard) error {
	f.Servers[name].Restart()
	f.Templates[name] = f.Want.Inputs
	return nil
}

// Release is never needed: nobody deletes members of a fleet.
func (f *Fleet) Release(context.Context, topology.Name) error { return nil }
