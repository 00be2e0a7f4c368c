package scenario

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/topology"
)

// spoiledConfs are lives in which the start of a pod finds a nodes.conf that is
// of no use, or that knows less than it did.
func spoiledConfs() []Story {
	stories := []Story{
		threeByOne(Step{EmptyConf, 0, settled}),
		threeByOne(Step{EmptyConf, 1, settled}),
		threeByOne(Step{EmptyConf, 0, time.Second}, Step{EmptyConf, 3, settled}),
		threeByOne(Step{CutConf, 0, settled}, Step{CutConf, 3, settled}),
		threeByOne(Step{SwapVolume, 0, settled}, Step{SwapVolume, 2, settled}),
		threeByOne(Step{SwapVolume, 1, settled}),
		threeByOne(Step{OutrankedConf, 1, settled}, Step{OutrankedConf, 0, settled}),
		interrupted(threeByOne(Step{EmptyConf, 0, settled}, Step{SwapVolume, 3, settled})),
	}
	// The only copy: nobody else can be elected, and nothing may be lost.
	for shards := range 4 {
		only := Story{Shards: shards + 1, Steps: []Step{{SaveAll, 0, 0}, {EmptyConf, 0, settled}, {CutConf, 0, settled}}}
		stories = append(stories, only, interrupted(only))
	}
	return append(stories, Story{Shards: 1, Replicas: 1, Steps: []Step{{SaveAll, 0, 0}, {EmptyConf, 1, settled}}})
}

// confTests are what no story can tell, because a human has a part in it.
func confTests(t *testing.T) {
	t.Run("stale", staleConf)
	for _, version := range versions {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			for name, test := range map[string]func(*testing.T, Simulation){
				"foreign": foreignVolume, "twins": twinServers, "all": allConfs, "another pod": lostInAnotherPod,
			} {
				t.Run(name, func(t *testing.T) { test(t, simulation(3, version)) })
			}
		})
	}
}

// settledOn is a cluster with confirmed writes.
func settledOn(t *testing.T, ground Ground, shards, replicas int) *Fleet {
	t.Helper()
	f := NewFleet(ground, shards, replicas)
	f.context = t.Context()
	f.Settle(t, All)
	f.writeSome(t.Context())
	f.strike(SaveAll, nil)
	return f
}

// asksHuman waits until the plan is nothing but waiting for a human, with that
// reason, and returns what it says.
func (f *Fleet) asksHuman(t *testing.T, reason topology.Reason) string {
	t.Helper()
	for range 600 {
		f.Pass(t.Context(), All)
		f.Time(100 * time.Millisecond)
	}
	plan := f.Plan(f.Want, f.Observe(t.Context()))
	said := ""
	for _, b := range plan.Blocked {
		if b.Reason == reason {
			said = b.Message
		}
	}
	if said == "" || len(plan.Actions) > 0 {
		t.Fatalf("nobody asks because of %s: %+v\n%s", reason, plan, strings.Join(f.chronicle, "\n"))
	}
	if f.violations != nil {
		t.Error(list(f.violations))
	}
	return said
}

// discard is what a human is told to do: the claim and the pod are deleted.
func (f *Fleet) discard(n *node) {
	f.killed(n)
	n.server.Wipe()
	n.estranged = false
}

// foreignVolume: a server starts with the volume of another cluster. It does not
// disturb that one, and nobody loses keys without being asked (N8, N10).
func foreignVolume(t *testing.T, world Simulation) {
	a, b := settledOn(t, world, 3, 1), settledOn(t, world, 3, 1)
	n := b.nodes["c-0-1"]
	b.killed(n)
	n.server.CopyVolume(a.nodes["c-0-0"].server)
	b.estrange(n)
	said := b.asksHuman(t, topology.ReasonUnexpectedKeys)
	if n.server.Value(loadKey(1))+n.server.Value(loadKey(2))+n.server.Value(loadKey(3)) == "" {
		t.Errorf("the keys are gone, and it says: %s", said)
	}
	if unmet := a.Goal(t.Context()); unmet != nil {
		t.Errorf("the other cluster is disturbed:%s", list(unmet))
	}
	b.discard(n)
	b.mustSettle(t)
}

// twinServers: a volume that nobody can tell is a copy. Two servers have one ID
// until a human deletes one (N8).
func twinServers(t *testing.T, world Simulation) {
	f := settledOn(t, world, 3, 1)
	n, of := f.nodes["c-0-1"], f.nodes["c-1-0"]
	f.killed(n)
	n.server.CopyVolume(of.server)
	said := f.asksHuman(t, topology.ReasonTwins)
	if !strings.Contains(said, "c-0-1") || !strings.Contains(said, "c-1-0") {
		t.Error(said)
	}
	if f.role(of) != topology.RolePrimary {
		t.Errorf("c-1-0 is %s", f.role(of))
	}
	f.discard(n)
	f.mustSettle(t)
}

// allConfs: every server of the cluster lost its nodes.conf at once. Nobody
// knows anybody, and all data is there.
func allConfs(t *testing.T, world Simulation) {
	f := settledOn(t, world, 3, 1)
	for _, name := range f.names() {
		f.spoil(EmptyConf, f.nodes[name])
	}
	f.mustSettle(t)
}

// lostInAnotherPod: the only copy comes back in another pod. The old server may
// be alive somewhere, so a human is asked (N11).
func lostInAnotherPod(t *testing.T, world Simulation) {
	f := settledOn(t, world, 3, 0)
	n := f.nodes["c-0-0"]
	f.stopped(n)
	n.server.EmptyConf()
	f.estrange(n)
	f.asksHuman(t, topology.ReasonMajorityLost)
	f.Want.Vouched = true
	f.mustSettle(t)
}
