package report

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/slots"
	"github.com/valkey-operator/valkey-operator/internal/topology"
)

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// healthyPass is one pass over a cluster of one shard and one replica in which
// all is well.
func healthyPass() Pass {
	pod := func(name, ip string) *topology.Pod {
		return &topology.Pod{UID: topology.PodUID(name), Addr: netip.MustParseAddrPort(ip + ":6379"), Ready: true, Machine: "m-" + name}
	}
	view := topology.NewView([]topology.Peer{
		{ID: "a", Addr: netip.MustParseAddrPort("10.0.0.1:6379"), Role: topology.RolePrimary, Slots: slots.All()},
		{ID: "b", Addr: netip.MustParseAddrPort("10.0.0.2:6379"), Role: topology.RoleReplica, Primary: "a"},
	})
	p := Pass{
		Generation: 3,
		Want: topology.Desired{Shards: 1, Members: []topology.Wanted{
			{Name: "c-0-0"}, {Name: "c-0-1", Index: 1},
		}},
		Seen: topology.Observed{Members: []topology.Member{
			{Name: "c-0-0", Pod: pod("c-0-0", "10.0.0.1"), Server: &topology.Server{ID: "a", Role: topology.RolePrimary, Slots: slots.All(), Serving: true, View: view}},
			{Name: "c-0-1", Index: 1, Pod: pod("c-0-1", "10.0.0.2"), Server: &topology.Server{ID: "b", Role: topology.RoleReplica, Primary: "a", Serving: true, Link: topology.Link{Up: true}, View: view}},
		}},
	}
	for _, name := range []string{"c-0-0", "c-0-1"} {
		n := v1alpha1.ValkeyNode{}
		n.Name, n.Generation, n.Status.ObservedGeneration = name, 1, 1
		n.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue, Reason: "ServerAnswers"}}
		p.Nodes = append(p.Nodes, n)
	}
	return p
}

func TestState(t *testing.T) {
	wasReady := v1alpha1.ValkeyClusterStatus{State: v1alpha1.StateReady, Reason: v1alpha1.ReasonClusterHealthy}
	waiting := topology.Blocked{Why: topology.Why{Reason: topology.ReasonSyncing, Message: "c-0-1 is not in sync"}}
	outOfSync := func(p *Pass) {
		p.Seen.Members[1].Server.Link.Up = false
		p.Plan.Blocked = []topology.Blocked{waiting}
	}
	cases := []struct {
		name   string
		before v1alpha1.ValkeyClusterStatus
		change func(*Pass)
		state  v1alpha1.ClusterState
		reason string
		says   string
	}{
		{"all is well", wasReady, func(*Pass) {}, v1alpha1.StateReady, "ClusterHealthy", "Cluster is healthy"},
		{"first time", v1alpha1.ValkeyClusterStatus{}, outOfSync, v1alpha1.StateInitializing, "WaitingForReplication", "not in sync"},
		{"redundancy lost", wasReady, outOfSync, v1alpha1.StateDegraded, "WaitingForReplication", "on machine m-c-0-1"},
		{"something to do", wasReady, func(p *Pass) {
			p.Plan.Actions = []topology.Action{topology.Roll{Why: topology.Why{Reason: topology.ReasonReplacing, Message: "replacing"}}}
		}, v1alpha1.StateReconciling, "ReplacingPod", "replacing"},
		{"a human must act", wasReady, func(p *Pass) {
			p.Plan.Blocked = []topology.Blocked{waiting, {Human: true, Why: topology.Why{Reason: topology.ReasonForeignServer, Message: "empty the volume"}}}
		}, v1alpha1.StateFailed, "ForeignServer", "empty the volume"},
		{"an object is in the way", v1alpha1.ValkeyClusterStatus{}, func(p *Pass) {
			p.Failures = []Failure{{Reason: v1alpha1.ReasonNameConflict, Message: "Service x is not ours", Human: true}}
		}, v1alpha1.StateFailed, "NameConflict", "Service x"},
		{"a node explains more", wasReady, func(p *Pass) {
			outOfSync(p)
			p.Nodes[1].Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonImagePull, Message: "image x cannot be pulled"}}
		}, v1alpha1.StateDegraded, "ImagePullFailed", "node c-0-1: image x cannot be pulled"},
		{"a volume grows", wasReady, func(p *Pass) { sized(p, 1, v1alpha1.ReasonResizing, "the volume has 1Gi and is to have 2Gi") },
			v1alpha1.StateReconciling, "Resizing", "node c-0-1: the volume has 1Gi"},
		{"a volume cannot grow", wasReady, func(p *Pass) { sized(p, 0, v1alpha1.ReasonResizeRefused, "the class does not let volumes grow") },
			v1alpha1.StateFailed, "ResizeRefused", "node c-0-0: the class"},
		{"a volume that cannot grow keeps nothing from being said of what is worse", wasReady, func(p *Pass) {
			outOfSync(p)
			sized(p, 1, v1alpha1.ReasonResizing, "the volume has 1Gi and is to have 2Gi")
		}, v1alpha1.StateDegraded, "WaitingForReplication", "on machine m-c-0-1"},
		{"a node has not caught up", wasReady, func(p *Pass) { p.Nodes[0].Generation = 2 }, v1alpha1.StateReconciling, "PodNotReady", "c-0-0"},
		{"nothing planned, and yet not whole", wasReady, func(p *Pass) { p.Seen.Members[0].Server.Serving = false }, v1alpha1.StateDegraded, "WaitingForCluster", "16384 slots are not served"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := healthyPass()
			c.change(&p)
			s := Of(p, c.before, now).Status
			if s.State != c.state || s.Reason != c.reason || !strings.Contains(s.Message, c.says) {
				t.Errorf("%s, %s: %s; want %s, %s and %q", s.State, s.Reason, s.Message, c.state, c.reason, c.says)
			}
			if ready := meta.IsStatusConditionTrue(s.Conditions, v1alpha1.ConditionReady); ready != (c.state == v1alpha1.StateReady) {
				t.Errorf("condition Ready is %t in state %s (A6)", ready, s.State)
			}
		})
	}
}

// A pass that finds the same as the one before writes nothing and tells
// nothing (A3); times stay with the status of a condition.
func TestQuiet(t *testing.T) {
	first := Of(healthyPass(), v1alpha1.ValkeyClusterStatus{}, now)
	if len(first.Events) != 1 {
		t.Errorf("becoming Ready is told %d times", len(first.Events))
	}
	second := Of(healthyPass(), first.Status, now.Add(time.Hour))
	if diff := cmp.Diff(first.Status, second.Status); diff != "" {
		t.Errorf("the status changed:\n%s", diff)
	}
	if len(second.Events) > 0 {
		t.Errorf("told again: %v", second.Events)
	}
}

func TestShardStatus(t *testing.T) {
	s := Of(healthyPass(), v1alpha1.ValkeyClusterStatus{}, now).Status
	want := []v1alpha1.ShardStatus{{Primary: "c-0-0", Replicas: []v1alpha1.ReplicaStatus{{Name: "c-0-1", InSync: true}}, Slots: []string{"0-16383"}}}
	if diff := cmp.Diff(want, s.ShardStatuses); diff != "" {
		t.Error(diff)
	}
	if s.Ready != "1/1" || s.Shards != 1 || s.ReadyShards != 1 {
		t.Errorf("%s ready, %d shards, %d ready", s.Ready, s.Shards, s.ReadyShards)
	}
}

func TestManyRangesAreCounted(t *testing.T) {
	var ranges []slots.Range
	for i := range slots.Slot(20) {
		ranges = append(ranges, slots.Range{First: 10 * i, Last: 10*i + 1})
	}
	printed := printRanges(slots.Of(ranges...))
	if len(printed) != 17 || printed[16] != "+4" {
		t.Errorf("%q", printed)
	}
}

// Many actions of one reason are one event.
func TestEventsAreSummedUp(t *testing.T) {
	p := healthyPass()
	for range 6 {
		p.Plan.Actions = append(p.Plan.Actions, topology.Create{Why: topology.Why{Reason: topology.ReasonCreating, Message: "creating node c-0-0"}})
	}
	p.Plan.Actions = append(p.Plan.Actions, topology.Meet{Why: topology.Why{Reason: topology.ReasonJoining, Message: "introducing"}})
	told := Of(p, v1alpha1.ValkeyClusterStatus{State: v1alpha1.StateInitializing}, now).Events
	if len(told) != 1 || told[0].Message != "creating node c-0-0 (and 5 more)" {
		t.Errorf("%+v", told)
	}
}

// One event for each reason: a change of the state with the reason of what is
// being done says nothing new.
func TestReasonIsToldOnce(t *testing.T) {
	p := healthyPass()
	p.Seen.Members[1].Server.Link.Up = false
	p.Plan.Actions = []topology.Action{topology.Create{Why: topology.Why{Reason: topology.ReasonCreating, Message: "creating node c-0-0"}}}
	told := Of(p, v1alpha1.ValkeyClusterStatus{}, now).Events
	if len(told) != 1 || told[0].Reason != string(topology.ReasonCreating) {
		t.Errorf("%+v", told)
	}
	// A warning is another matter.
	told = Of(p, v1alpha1.ValkeyClusterStatus{State: v1alpha1.StateReady}, now).Events
	if len(told) != 2 || told[0].Warning || !told[1].Warning {
		t.Errorf("%+v", told)
	}
	more := append(slices.Clone(told), Event{Reason: "Other"})
	if news := News(more, told); len(news) != 1 || news[0].Reason != "Other" {
		t.Errorf("news %+v", news)
	}
}

// A cluster that was Ready and is founded again has lost its data, and says so
// (N10); one that is new has nothing to say.
func TestDataLostIsTold(t *testing.T) {
	p := healthyPass()
	p.Plan.Actions = []topology.Action{topology.Claim{Why: topology.Why{Reason: topology.ReasonForming}, Slots: slots.All()}}
	for before, want := range map[v1alpha1.ClusterState]bool{
		"": false, v1alpha1.StateInitializing: false, v1alpha1.StateReady: true, v1alpha1.StateDegraded: true,
	} {
		told := false
		for _, e := range Of(p, v1alpha1.ValkeyClusterStatus{State: before}, now).Events {
			told = told || e.Reason == reasonDataLost && e.Warning && strings.Contains(e.Message, "16384")
		}
		if told != want {
			t.Errorf("before it was %q: loss told %t, want %t", before, told, want)
		}
	}
}

func TestNext(t *testing.T) {
	act := func(a topology.Action) Pass { return Pass{Plan: topology.Plan{Actions: []topology.Action{a}}} }
	wait := Pass{Plan: topology.Plan{Blocked: []topology.Blocked{{}}}}
	stuck := Pass{Plan: wait.Plan, Stuck: true}
	cases := []struct {
		name   string
		pass   Pass
		waited int
		want   time.Duration
	}{
		{"converged", Pass{}, 0, whenSettled},
		{"acted", act(topology.Meet{}), 0, afterCommands},
		{"handed over", act(topology.HandOver{}), 0, afterFailover},
		{"failed over", act(topology.FailOver{}), 0, afterFailover},
		{"waiting", wait, 0, whileWaiting},
		{"waiting for long", wait, 10_000, longestWait},
		{"stuck", stuck, 0, whileStuck},
		{"stuck for long", stuck, 10_000, longestWait},
	}
	for _, c := range cases {
		if got := Next(c.pass, c.waited); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	for _, pass := range []Pass{wait, stuck} {
		last := time.Duration(0)
		for waited := range 300 {
			now := Next(pass, waited)
			if now < last {
				t.Fatalf("after %d passes the wait gets shorter", waited)
			}
			last = now
		}
	}
}

// sized gives all nodes volumes, of which the one at i is not as large as wanted.
func sized(p *Pass, i int, reason, message string) {
	for j := range p.Nodes {
		n := &p.Nodes[j]
		n.Spec.Persistence = &v1alpha1.NodePersistence{}
		size := metav1.Condition{Type: v1alpha1.ConditionClaimSizeReady, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonUpToDate, Message: "the volume has 1Gi"}
		if i == j {
			size.Status, size.Reason, size.Message = metav1.ConditionFalse, reason, message
		}
		meta.SetStatusCondition(&n.Status.Conditions, size)
		meta.SetStatusCondition(&n.Status.Conditions, metav1.Condition{
			Type: v1alpha1.ConditionClaimReady, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonClaimBound, Message: "claim x is bound",
		})
	}
}

// The conditions of the nodes' volumes are summed up in the cluster's status,
// which has none without volumes.
func TestVolumesAreSummedUp(t *testing.T) {
	find := func(p Pass, kind string) metav1.Condition {
		if c := meta.FindStatusCondition(Of(p, v1alpha1.ValkeyClusterStatus{}, now).Status.Conditions, kind); c != nil {
			return *c
		}
		return metav1.Condition{}
	}
	p := healthyPass()
	if c := find(p, v1alpha1.ConditionClaimReady); c.Type != "" {
		t.Errorf("without volumes: %+v", c)
	}
	sized(&p, -1, "", "")
	for kind, says := range map[string]string{
		v1alpha1.ConditionClaimReady:     "2 of 2 nodes: the claim is bound, or waits for the pod only",
		v1alpha1.ConditionClaimSizeReady: "2 of 2 nodes: the volume is as large as wanted",
	} {
		if c := find(p, kind); c.Status != metav1.ConditionTrue || c.Message != says {
			t.Errorf("%+v", c)
		}
	}
	sized(&p, 1, v1alpha1.ReasonResizeFailed, "no")
	if c := find(p, v1alpha1.ConditionClaimSizeReady); c.Status != metav1.ConditionFalse || c.Reason != "ResizeFailed" || c.Message != "node c-0-1: no" {
		t.Errorf("%+v", c)
	}
	p.Nodes[0].Status.Conditions = nil
	if c := find(p, v1alpha1.ConditionClaimSizeReady); c.Message != "node c-0-1 and 1 more: no" {
		t.Errorf("%+v", c)
	}
	if c := find(p, v1alpha1.ConditionClaimReady); c.Status != metav1.ConditionUnknown || c.Message != "node c-0-0: nothing is known of its volume yet" {
		t.Errorf("%+v", c)
	}
}
