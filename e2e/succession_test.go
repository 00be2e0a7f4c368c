package e2e

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The server of a primary is killed in place. A replica takes over and what
// WAIT 1 confirmed is there afterwards, with the operator and without it, also
// where nobody can vote. The pod itself sees to it, and is held back no longer
// than that takes (N9, N11).
func TestSuccession(t *testing.T) {
	const volume = "  persistence: {size: 1Gi}"
	for name, c := range map[string]struct {
		shards   int
		more     string
		operator bool
	}{
		"with the operator":              {3, volume, true},
		"operator away":                  {3, volume, false},
		"operator away, nobody votes":    {1, volume, false},
		"operator away, nothing is kept": {1, "", false},
	} {
		t.Run(strings.NewReplacer(" ", "-", ",", "").Replace(name), func(t *testing.T) {
			e := newEnv(t)
			e.mustApply(manifest("c", c.shards, 1, c.more))
			e.awaitReady("c")
			start := func() {}
			if !c.operator {
				start = e.stopOperator()
			}
			e.succeed("c", c.shards)
			start()
			e.awaitReady("c")
		})
	}
}

// succeed kills the primary of the first shard under a writing client and waits
// until the servers are a whole cluster again, with its replica as a primary.
func (e *env) succeed(cluster string, shards int) {
	e.t.Helper()
	p := e.startProbe(cluster, 1)
	name, pod := e.primary(cluster, 0)
	_, heir := e.follower(cluster, name)
	killed := time.Now()
	e.killServer(pod.Name)
	e.eventually(heir.Name+" takes over", func() error { return e.is(cluster, heir, "role:master") })
	e.t.Logf("%s leads after %v", heir.Name, time.Since(killed).Round(10*time.Millisecond))
	e.eventually(pod.Name+" follows", func() error {
		return e.is(cluster, pod, "role:slave", "master_link_status:up", "master_host:"+heir.Status.PodIP+"\r")
	})
	e.t.Logf("%s follows after %v", pod.Name, time.Since(killed).Round(10*time.Millisecond))
	e.eventually("all slots are served", func() error { return e.whole(cluster) })
	e.finish(p, true)
	log := kubectl(e.t, "-n", e.namespace, "logs", pod.Name, "-c", "server")
	if !strings.Contains(log, "succession: "+heir.Status.PodIP+":6379 has taken over") {
		e.t.Errorf("%s did not wait for its successor:\n%s", pod.Name, log)
	}
	e.t.Log(linesWith(log, "start: ", "succession: "))
	primaries := 0
	for _, pod := range e.pods(cluster) {
		if e.is(cluster, pod, "role:master") == nil {
			primaries++
		}
	}
	if primaries != shards {
		e.t.Errorf("%d servers are primaries, want %d", primaries, shards)
	}
}

// follower returns the ValkeyNode that is the one replica of a primary, and its
// pod.
func (e *env) follower(cluster, primary string) (string, corev1.Pod) {
	e.t.Helper()
	pods := e.pods(cluster)
	for name, pod := range pods {
		if e.is(cluster, pod, "role:slave", "master_host:"+pods[primary].Status.PodIP+"\r") == nil {
			return name, pod
		}
	}
	e.t.Fatalf("%s has no replica", primary)
	return "", corev1.Pod{}
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
