package e2e

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/valkey-operator/valkey-operator/internal/podtest"
	"github.com/valkey-operator/valkey-operator/internal/probe"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// startProbe writes to many keys of the cluster, as an application would, from
// now until the test has looked at the outcome.
func (e *env) startProbe(cluster string, wait int) *probe.Probe {
	e.t.Helper()
	options, err := e.Traffic(e.ctx(), cluster, "probe:", 64, wait)
	e.must(err)
	p, err := probe.Start(e.ctx(), options)
	e.must(err)
	return p
}

// finish stops the probe and fails the test for every acknowledged write that
// is lost, and for failed writes unless they are allowed.
func (e *env) finish(p *probe.Probe, mayFail bool) probe.Report {
	e.t.Helper()
	r := p.Stop()
	e.t.Logf("%v", r)
	if r.Failed > 0 && !mayFail {
		e.t.Errorf("%d writes failed: %v", r.Failed, r.LastError)
	}
	lost, err := p.Lost(e.ctx())
	e.must(err)
	for _, l := range lost {
		e.t.Errorf("%d acknowledged writes to %s are lost: %v…", len(l.Writes), l.Key, l.Writes[:min(5, len(l.Writes))])
	}
	return r
}

// primary returns the ValkeyNode that is the primary of a shard, and its pod.
func (e *env) primary(cluster string, shard int) (string, corev1.Pod) {
	e.t.Helper()
	name := e.cluster(cluster).Status.ShardStatuses[shard].Primary
	pod, found := e.pods(cluster)[name]
	if !found {
		e.t.Fatalf("shard %d has no primary: %q", shard, name)
	}
	return name, pod
}

// A roll of all pods loses no acknowledged write and fails none; the pods of a
// shard are never away together, and with volumes node IDs stay (N2, N6, case 3).
func TestRoll(t *testing.T) {
	for name, more := range map[string]string{
		"persistent": "  persistence: {size: 1Gi}",
		"Deployment": "  workloadType: Deployment",
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			e.mustApply(manifest("c", 3, 1, more))
			e.awaitReady("c")
			ids := e.ids("c")
			e.rollUnderWrites("c", manifest("c", 3, 1, more+"\n  resources: {requests: {cpu: 11m}}"))
			if name != "persistent" {
				return
			}
			if after := e.ids("c"); !equal(ids, after) {
				t.Errorf("node IDs changed from %v to %v", ids, after)
			}
			e.checkPartialSyncs("c")
		})
	}
}

// Volumes are added to a cluster that runs without any, under writes: every pod
// has one then, and a full copy of the data on it.
func TestVolumesAreAdded(t *testing.T) {
	e := newEnv(t)
	e.mustApply(manifest("c", 3, 1, ""))
	e.awaitReady("c")
	e.write("c", 1000)
	e.rollUnderWrites("c", manifest("c", 3, 1, "  persistence: {size: 1Gi}"))
	e.read("c", 1000)
	if claims := e.claims(); len(claims) != 6 {
		t.Errorf("%d claims, want 6", len(claims))
	}
	before := e.pods("c")
	e.must(e.DeletePods(e.ctx(), "c"))
	for _, pod := range before {
		e.awaitReplaced("c", pod)
	}
	e.read("c", 1000)
}

// rollUnderWrites applies a manifest that replaces all pods; no write fails
// meanwhile and none is lost.
func (e *env) rollUnderWrites(cluster, manifest string) {
	e.t.Helper()
	before := e.pods(cluster)
	p := e.startProbe(cluster, 0)
	e.mustApply(manifest)
	e.eventually("all pods are replaced", func() error {
		for name, pod := range e.pods(cluster) {
			if pod.UID == before[name].UID {
				return errorf("%s is still the old one", pod.Name)
			}
		}
		return podtest.Ready(e.cluster(cluster))
	})
	e.awaitReady(cluster)
	e.finish(p, false)
}

// checkPartialSyncs makes sure that no server that runs now has sent its whole
// data set, because its replica came back with what it had saved.
func (e *env) checkPartialSyncs(cluster string) {
	e.t.Helper()
	for shard := range e.cluster(cluster).Status.ShardStatuses {
		name, pod := e.primary(cluster, shard)
		stats := valkey.ParseInfo(e.ask(cluster, pod.Status.PodIP, "INFO", "stats"))
		if stats["sync_full"] != "0" || stats["sync_partial_ok"] == "0" {
			e.t.Errorf("%s: %s full and %s partial synchronisations, want partial ones only", name, stats["sync_full"], stats["sync_partial_ok"])
		}
	}
}

// ids returns the node IDs of a cluster's servers, by ValkeyNode.
func (e *env) ids(cluster string) map[string]string {
	e.t.Helper()
	ids := map[string]string{}
	for name, p := range e.pods(cluster) {
		ids[name] = e.ask(cluster, p.Status.PodIP, "CLUSTER", "MYID")
	}
	return ids
}

func equal(a, b map[string]string) bool {
	for k := range a {
		if a[k] != b[k] {
			return false
		}
	}
	return len(a) == len(b)
}

// A primary's pod that is deleted hands over first: no write fails.
func TestGracefulDelete(t *testing.T) {
	e := newEnv(t)
	e.mustApply(manifest("c", 3, 1, "  persistence: {size: 1Gi}"))
	e.awaitReady("c")
	p := e.startProbe("c", 0)
	_, pod := e.primary("c", 0)
	e.must(e.Delete(e.ctx(), &pod))
	e.awaitReplaced("c", pod)
	e.finish(p, false)
}

// awaitReplaced waits until another pod is there and the cluster is whole.
func (e *env) awaitReplaced(cluster string, old corev1.Pod) {
	e.t.Helper()
	e.eventually("pod "+old.Name+" is replaced", func() error { return e.Replaced(e.ctx(), cluster, old) })
	e.awaitReady(cluster)
}

// The server of a primary is killed in place. What WAIT 1 confirmed is there
// afterwards, although the container is restarted at once (N9, N11).
func TestKilledServer(t *testing.T) {
	e := newEnv(t)
	e.mustApply(manifest("c", 3, 1, "  persistence: {size: 1Gi}"))
	e.awaitReady("c")
	p := e.startProbe("c", 1)
	name, pod := e.primary("c", 0)
	e.killServers(pod)
	e.eventually("another primary leads the shard", func() error {
		if now := e.cluster("c").Status.ShardStatuses[0].Primary; now == name || now == "" {
			return errorf("it is still %q", now)
		}
		return nil
	})
	e.awaitReady("c")
	e.finish(p, true)
}

// All pods go at once and come back with new addresses: every slot is served
// again and every key there (case 1).
func TestAllPodsAtOnce(t *testing.T) {
	e := newEnv(t)
	e.mustApply(manifest("c", 3, 1, "  persistence: {size: 1Gi}"))
	e.awaitReady("c")
	e.write("c", 1000)
	before := e.pods("c")
	e.must(e.DeletePods(e.ctx(), "c"))
	for _, pod := range before {
		e.awaitReplaced("c", pod)
	}
	e.read("c", 1000)
}

// A template that cannot run stops at its first pod and can be taken back
// (A4, case 8).
func TestBadImageIsTakenBack(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.mustApply(manifest("c", 3, 1, "  persistence: {size: 1Gi}"))
	e.awaitReady("c")
	e.write("c", 100)
	before := e.pods("c")
	e.mustApply(manifest("c", 3, 1, "  persistence: {size: 1Gi}\n  image: valkey/valkey:no-such-tag"))
	e.eventually("the cluster says what is wrong", func() error {
		if s := e.cluster("c").Status; s.Reason != "ImagePullFailed" {
			return errorf("%s, %s: %s", s.State, s.Reason, s.Message)
		}
		return nil
	})
	touched := 0
	for name, pod := range e.pods("c") {
		if pod.UID != before[name].UID {
			touched++
			if p, _ := e.primary("c", 0); p == name {
				t.Errorf("the primary %s was replaced first", name)
			}
		}
	}
	if touched > 1 {
		t.Errorf("%d pods were replaced, want at most one", touched)
	}
	e.mustApply(manifest("c", 3, 1, "  persistence: {size: 1Gi}"))
	e.awaitReady("c")
	e.read("c", 100)
}
