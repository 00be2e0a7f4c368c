package e2e

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Servers of primaries are killed in place. Replicas take over and what WAIT 1
// confirmed is there afterwards, with the operator and without it, also where
// nobody can vote. The pods themselves see to it, and are held back no longer
// than that takes (N9, N11).
func TestSuccession(t *testing.T) {
	const volume = "  persistence: {size: 1Gi}"
	for name, c := range map[string]succession{
		"operator here":                       {shards: 3, replicas: 1, killed: 1, more: volume, operator: true},
		"operator away":                       {shards: 3, replicas: 1, killed: 1, more: volume},
		"operator away, majority lost":        {shards: 3, replicas: 1, killed: 2, more: volume},
		"operator away, nobody votes":         {shards: 1, replicas: 1, killed: 1, more: volume},
		"operator away, two heirs, no volume": {shards: 1, replicas: 2, killed: 1},
	} {
		t.Run(strings.NewReplacer(" ", "-", ",", "").Replace(name), func(t *testing.T) {
			e := newEnv(t)
			e.mustApply(manifest("c", c.shards, c.replicas, c.more))
			e.awaitReady("c")
			start := func() {}
			if !c.operator {
				start = e.stopOperator()
			}
			p := e.startProbe("c", 1)
			e.succeed("c", c)
			e.finish(p, true)
			start()
			e.awaitReady("c")
		})
	}
}

// succession is a cluster, and in how many of its shards the primary is killed.
type succession struct {
	shards, replicas, killed int
	more                     string
	operator                 bool
}

// votes reports whether the primaries that are left are a majority.
func (c succession) votes() bool { return c.shards-c.killed > c.shards/2 }

// succeed kills primaries and waits until the servers are a whole cluster again,
// with replicas as primaries.
func (e *env) succeed(cluster string, c succession) {
	e.t.Helper()
	var pods []corev1.Pod
	heirs := map[string][]corev1.Pod{}
	for shard := range c.killed {
		_, pod := e.primary(cluster, shard)
		pods = append(pods, pod)
		heirs[pod.Name] = e.followers(cluster, pod)
	}
	begin := time.Now()
	e.killServers(pods...)
	for _, pod := range pods {
		heir := e.awaitLeader(cluster, heirs[pod.Name])
		e.t.Logf("%s leads after %v", heir.Name, time.Since(begin).Round(10*time.Millisecond))
		e.eventually(pod.Name+" follows", func() error { return e.follows(cluster, pod, heir) })
		e.t.Logf("%s follows after %v", pod.Name, time.Since(begin).Round(10*time.Millisecond))
		e.checkHeld(pod, heir, c.votes())
	}
	e.eventually("all slots are served", func() error { return e.whole(cluster) })
	primaries := 0
	for _, pod := range e.pods(cluster) {
		if e.is(cluster, pod, "role:master") == nil {
			primaries++
		}
	}
	if primaries != c.shards {
		e.t.Errorf("%d servers are primaries, want %d", primaries, c.shards)
	}
}

// checkHeld reads in the log of a killed primary whether it waited for heir, and
// that nobody took over without a vote where one was possible.
func (e *env) checkHeld(killed, heir corev1.Pod, vote bool) {
	e.t.Helper()
	log := kubectl(e.t, "-n", e.Name, "logs", killed.Name, "-c", "server")
	e.t.Log(linesWith(log, "start: ", "succession: "))
	if !strings.Contains(log, "succession: "+heir.Status.PodIP+":6379 has taken over") {
		e.t.Errorf("%s did not wait for its successor:\n%s", killed.Name, log)
	}
	if vote && strings.Contains(log, "without a vote") {
		e.t.Errorf("%s did not leave it to a vote:\n%s", killed.Name, log)
	}
}

// followers returns the pods of the replicas of a primary.
func (e *env) followers(cluster string, primary corev1.Pod) []corev1.Pod {
	e.t.Helper()
	var found []corev1.Pod
	for _, pod := range e.pods(cluster) {
		if e.follows(cluster, pod, primary) == nil {
			found = append(found, pod)
		}
	}
	if len(found) == 0 {
		e.t.Fatalf("%s has no replica", primary.Name)
	}
	return found
}

func (e *env) awaitLeader(cluster string, heirs []corev1.Pod) (leader corev1.Pod) {
	e.t.Helper()
	e.eventually("a replica takes over", func() error {
		var err error
		for _, leader = range heirs {
			if err = e.is(cluster, leader, "role:master"); err == nil {
				break
			}
		}
		return err
	})
	return leader
}

// follows asks a server whether it is a replica of primary, and in sync.
func (e *env) follows(cluster string, pod, primary corev1.Pod) error {
	return e.is(cluster, pod, "role:slave", "master_link_status:up", "master_host:"+primary.Status.PodIP+"\r")
}

// is asks a server for its part in the replication.
func (e *env) is(cluster string, pod corev1.Pod, what ...string) error {
	return e.says(cluster, pod, []string{"INFO", "replication"}, what...)
}

// whole asks all servers whether all slots are served.
func (e *env) whole(cluster string) error {
	for _, pod := range e.pods(cluster) {
		if err := e.says(cluster, pod, []string{"CLUSTER", "INFO"}, "cluster_state:ok", "cluster_slots_ok:16384"); err != nil {
			return err
		}
	}
	return nil
}

// stopOperator takes the operator away until the function that it returns is
// called, or the test ends.
func (e *env) stopOperator() (start func()) {
	e.t.Helper()
	d := &appsv1.Deployment{}
	e.must(e.Get(e.ctx(), client.ObjectKey{Namespace: "valkey-operator-system", Name: "valkey-operator"}, d))
	wanted := *d.Spec.Replicas
	start = func() { e.scale(d, wanted) }
	e.t.Cleanup(start)
	e.scale(d, 0)
	e.eventually("the operator is gone", func() error {
		pods := &corev1.PodList{}
		e.must(e.List(e.ctx(), pods, client.InNamespace(d.Namespace)))
		if len(pods.Items) > 0 {
			return errorf("%d pods are left", len(pods.Items))
		}
		return nil
	})
	return start
}

func (e *env) scale(d *appsv1.Deployment, replicas int32) {
	e.t.Helper()
	patch := client.MergeFrom(d.DeepCopy())
	d.Spec.Replicas = &replicas
	e.must(e.Patch(e.ctx(), d, patch))
}

// linesWith returns the lines of a log that begin with any of the words.
func linesWith(log string, words ...string) string {
	var kept []string
	for line := range strings.Lines(log) {
		for _, w := range words {
			if strings.HasPrefix(line, w) {
				kept = append(kept, line)
			}
		}
	}
	return strings.Join(kept, "")
}
