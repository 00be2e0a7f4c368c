package scenario

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/act"
	"github.com/valkey-operator/valkey-operator/internal/observe"
	"github.com/valkey-operator/valkey-operator/internal/topology"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// inputs stands for the hash of a user's inputs.
const inputs = "inputs-1"

// Planner is [topology.Next], or that without one of its rules.
type Planner func(topology.Desired, topology.Observed) topology.Plan

// Fleet is a cluster on a ground, and Kubernetes as far as a cluster needs it.
type Fleet struct {
	Want topology.Desired
	// Plan decides; [topology.Next] unless a test takes something away.
	Plan Planner
	// Volumes is whether data outlives pods.
	Volumes bool
	// Ungated is whether crashed primaries are started again at once, against
	// N9.
	Ungated bool

	ground     Ground
	dialer     *recorder
	nodes      map[topology.Name]*node
	graves     []Server
	now        time.Duration
	podCount   int
	load       load
	violations []string
	chronicle  []string
	rolls      int
	collisions int
	lost       map[string]bool // machines that are gone
	// outOfService are those of them that somebody has declared to be so.
	outOfService map[string]bool
	context      context.Context // of the one story that a fleet lives through
}

// NewFleet is a cluster that has yet to be made.
func NewFleet(ground Ground, shards, replicas int) *Fleet {
	f := &Fleet{
		Want:    Desired(shards, replicas),
		Plan:    topology.Next,
		Volumes: true,
		ground:  ground,
		nodes:   map[topology.Name]*node{},
		lost:    map[string]bool{},

		outOfService: map[string]bool{},
	}
	f.dialer = &recorder{fleet: f}
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

// Replicas is how many each shard shall have.
func (f *Fleet) Replicas() int { return len(f.Want.Members)/f.Want.Shards - 1 }

func (f *Fleet) names() []topology.Name { return slices.Sorted(maps.Keys(f.nodes)) }

// targets are the addresses of all pods.
func (f *Fleet) targets() map[topology.Name]valkey.Target {
	targets := map[topology.Name]valkey.Target{}
	for name, n := range f.nodes {
		if n.pod != nil {
			targets[name] = valkey.Target{Addr: n.server.Addr()}
		}
	}
	return targets
}

// Observe looks at the whole fleet, as an operator does.
func (f *Fleet) Observe(ctx context.Context) topology.Observed {
	answers := observe.Servers(ctx, f.dialer, f.targets())
	var seen topology.Observed
	for _, name := range f.names() {
		seen.Members = append(seen.Members, f.nodes[name].observed(f, answers[name]))
	}
	if f.Want.Vouched && topology.Examine(f.Want, seen).Unserved.IsEmpty() {
		f.Want.Vouched = false // as the operator does with the annotation
	}
	return seen
}

func (n *node) observed(f *Fleet, answer observe.Answer) topology.Member {
	m := topology.Member{
		Name: n.Name, Shard: n.Shard, Index: n.Index, Template: n.template, Guard: n.guard,
		Volume: f.Volumes, Deleting: n.deleting, Protected: n.protected, Unknown: "it has no pod", Last: n.last,
	}
	if f.outOfService[n.last.Machine] {
		m.Fenced = "its machine is out of service"
	}
	if n.pod == nil {
		return m
	}
	m.Pod = &topology.Pod{
		UID: n.pod.uid, Addr: n.server.Addr(), Template: n.pod.template, Ran: n.pod.ran,
		Ready:       n.server.Running() && answer.Err == nil && (answer.Server.Role == topology.RolePrimary || answer.Server.Link.Up),
		Terminating: n.pod.lost,
		Stopped:     !n.server.Running() && !n.pod.lost,
	}
	m.Server, m.Unknown = answer.Server, ""
	if answer.Err != nil {
		m.Unknown = observe.Clause(answer.Err)
		m.Refused = errors.Is(answer.Err, valkey.ErrRefused)
		m.Died = n.pod.ran && m.Refused
	} else if answer.Server.Primary != topology.Nobody { // which takes nobody's place yet
		n.last = topology.Last{ID: answer.Server.ID, Pod: n.pod.uid, Machine: "machine of " + string(n.pod.uid)}
		m.Last = n.last
	}
	return m
}

// Time lets d go by, with what Kubernetes does in it.
func (f *Fleet) Time(d time.Duration) {
	f.ground.Pass(d)
	f.now += d
	f.reconcileNodes()
	f.checkCollisions()
}

// note writes down what happened, for whoever looks into a story.
func (f *Fleet) note(format string, args ...any) {
	f.chronicle = append(f.chronicle, fmt.Sprintf("%8v ", f.now)+fmt.Sprintf(format, args...))
}

// run carries out actions. They could run at the same time; here they go one
// after the other, so that a story can be told again.
func (f *Fleet) run(ctx context.Context, actions []topology.Action) {
	broken := map[topology.Name]bool{}
	for _, a := range actions {
		if broken[a.On()] {
			continue
		}
		for _, r := range act.Run(ctx, []topology.Action{a}, act.Servers{Dialer: f.dialer, Targets: f.targets()}, f) {
			f.note("%s (%s): %v", r.Action.Explain().Message, r.Action.On(), r.Err)
			broken[a.On()] = r.Err != nil
		}
	}
}

// Pass observes, plans, and carries out as many actions as choose leaves of
// the plan. It returns the plan and how the cluster did before it.
func (f *Fleet) Pass(ctx context.Context, choose func([]topology.Action) []topology.Action) (topology.Plan, topology.Health) {
	seen := f.Observe(ctx)
	plan := f.Plan(f.Want, seen)
	f.run(ctx, choose(plan.Actions))
	return plan, topology.Examine(f.Want, seen)
}

// All carries out the whole plan.
func All(actions []topology.Action) []topology.Action { return actions }

// OnlyFirst is an operator that dies after every single action.
func OnlyFirst(actions []topology.Action) []topology.Action { return actions[:min(1, len(actions))] }

// Settle makes passes until nothing is left to do and the goal is reached.
func (f *Fleet) Settle(t testing.TB, choose func([]topology.Action) []topology.Action) {
	t.Helper()
	if unmet := f.settle(t.Context(), choose, 2*time.Minute); unmet != nil {
		t.Fatalf("the cluster does not settle:%s\nplan: %+v", list(unmet), f.Plan(f.Want, f.Observe(t.Context())))
	}
}

// settle returns what is left to wish after limit.
func (f *Fleet) settle(ctx context.Context, choose func([]topology.Action) []topology.Action, limit time.Duration) []string {
	const pause = 100 * time.Millisecond
	for end := f.now + limit; ; f.Time(pause) {
		plan, health := f.Pass(ctx, choose)
		content := plan.Done() && health.Whole()
		if !content && f.now < end {
			continue // to ask for the goal is expensive
		}
		switch g := f.judge(ctx); {
		case g.unmet == nil && g.doubts == nil && content:
			return nil
		case g.unmet != nil && content: // and users are told so (A6)
			return append(g.unmet, "the planner has nothing left to do or to wait for")
		case f.now < end:
		case g.unmet == nil && g.doubts == nil:
			return []string{"the goal is reached, and the planner or the health does not say so"}
		default:
			return append(g.unmet, g.doubts...)
		}
	}
}

// Create implements [act.Nodes].
func (f *Fleet) Create(_ context.Context, name topology.Name) error {
	i := slices.IndexFunc(f.Want.Members, func(w topology.Wanted) bool { return w.Name == name })
	if f.nodes[name] == nil {
		f.nodes[name] = &node{
			Wanted: f.Want.Members[i], server: f.ground.Add(name), template: f.Want.Inputs, protected: true,
		}
	}
	return nil
}

// Roll implements [act.Nodes].
func (f *Fleet) Roll(_ context.Context, name topology.Name, guard topology.Guard) error {
	if n := f.nodes[name]; n != nil {
		n.template, n.guard = f.Want.Inputs, guard
	}
	return nil
}

// Release implements [act.Nodes].
func (f *Fleet) Release(_ context.Context, name topology.Name) error {
	if n := f.nodes[name]; n != nil {
		n.protected = false
	}
	return nil
}
