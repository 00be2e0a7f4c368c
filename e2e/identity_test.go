package e2e

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

const manyKeys = 500

// spoil runs a command on the volume of a node and kills its server at once, so
// that it cannot write anything in between; its container is started again.
func (e *env) spoil(node, command string) {
	e.t.Helper()
	script := command + `; for p in /proc/[0-9]*; do read -r name <$p/comm; [ "$name" != valkey-server ] || kill -9 ${p#/proc/}; done`
	pod := e.podOf(node).Name
	before := e.restarts(pod)
	_ = exec.Command("kubectl", "-n", e.Name, "exec", pod, "-c", "server", "--", "sh", "-c", script).Run() // it ends with the container
	e.eventually("the container of "+pod+" has ended", func() error {
		if n := e.restarts(pod); n == before {
			return errorf("restarted %s times", n)
		}
		return nil
	})
}

func (e *env) restarts(pod string) string {
	e.t.Helper()
	return kubectl(e.t, "-n", e.Name, "get", "pod", pod, "-o", `jsonpath={.status.containerStatuses[?(@.name=="server")].restartCount}`)
}

func (e *env) podOf(node string) corev1.Pod {
	e.t.Helper()
	list := &corev1.PodList{}
	e.must(e.List(e.ctx(), list, client.InNamespace(e.Name), client.MatchingLabels{v1alpha1.LabelNode: node}))
	if len(list.Items) != 1 {
		e.t.Fatalf("%d pods of %s", len(list.Items), node)
	}
	return list.Items[0]
}

func (e *env) id(cluster, node string) string {
	e.t.Helper()
	return e.ask(cluster, e.podOf(node).Status.PodIP, "CLUSTER", "MYID")
}

// primaryOf returns the node that the status says is the primary of a shard.
func (e *env) primaryOf(cluster string, shard int) string {
	e.t.Helper()
	return e.cluster(cluster).Status.ShardStatuses[shard].Primary
}

// replicaOf returns the node that the status says is the first replica of a shard.
func (e *env) replicaOf(cluster string, shard int) string {
	e.t.Helper()
	replicas := e.cluster(cluster).Status.ShardStatuses[shard].Replicas
	if len(replicas) == 0 {
		e.t.Fatalf("shard %d has no replica", shard)
	}
	return replicas[0].Name
}

// awaitAgain waits until the cluster is Ready with another server in node.
func (e *env) awaitAgain(cluster, node, before string) {
	e.t.Helper()
	e.eventually(node+" has a new ID", func() error {
		last := e.node(node).Status.LastServer
		if last == nil || last.NodeID == before {
			return errorf("last server %+v", last)
		}
		return nil
	})
	e.awaitReady(cluster)
	e.read(cluster, manyKeys)
}

// Replicas and primaries find nodes.conf empty, gone or cut off in its first line,
// and a server a volume that another node has written. Each comes back under a
// new ID, and no key is lost.
func TestLostIdentity(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.mustApply(manifest("c", 3, 1, "  persistence: {size: 1Gi}"))
	e.awaitReady("c")
	e.write("c", manyKeys)
	const cut = "head -c 60 /data/nodes.conf >/data/cut; mv /data/cut /data/nodes.conf"
	foreign := ""
	for _, c := range []struct {
		who           func(cluster string, shard int) string
		shard         int
		command, says string
	}{
		{e.replicaOf, 0, ": >/data/nodes.conf", "nodes.conf is empty"},
		{e.primaryOf, 1, ": >/data/nodes.conf", "nodes.conf is empty"},
		{e.primaryOf, 0, "rm /data/nodes.conf", "nodes.conf is empty or missing"},
		{e.replicaOf, 1, cut, "nodes.conf is damaged"},
		{e.primaryOf, 2, cut, "nodes.conf is damaged"},
		{e.replicaOf, 2, "echo other/c-9-9 >/data/owner", "this volume was written by node other/c-9-9, and this is node " + e.Name + "/"},
	} {
		node := c.who("c", c.shard)
		before := e.id("c", node)
		e.spoil(node, c.command)
		e.awaitAgain("c", node, before)
		if log := kubectl(t, "-n", e.Name, "logs", e.podOf(node).Name, "-c", "server"); !strings.Contains(log, "start: "+c.says) {
			t.Errorf("%s: the log does not say %q:\n%s", node, c.says, log)
		}
		foreign = node
	}
	if kept := e.exec(e.podOf(foreign).Name, "server", "ls /data"); !strings.Contains(kept, "nodes.conf.foreign-") {
		t.Errorf("the foreign nodes.conf is not kept: %s", kept)
	}
}

// The only copy of a shard loses its nodes.conf. It has its slots again, with
// what was saved last.
func TestLostIdentityOfTheOnlyCopy(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 3} {
		t.Run(fmt.Sprint(shards), func(t *testing.T) {
			e := newEnv(t)
			e.mustApply(manifest("c", shards, 0, "  persistence: {size: 1Gi}"))
			e.awaitReady("c")
			e.write("c", manyKeys)
			before := e.id("c", "c-0-0")
			if said := e.ask("c", e.podOf("c-0-0").Status.PodIP, "SAVE"); said != "OK" {
				t.Fatal(said)
			}
			e.spoil("c-0-0", "rm /data/nodes.conf")
			e.awaitAgain("c", "c-0-0", before)
		})
	}
}

// A dump that cannot be loaded: a replica does without it; of a primary the
// cluster says what the server says, and what to do.
func TestDamagedDump(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.mustApply(manifest("c", 3, 1, "  persistence: {size: 1Gi}"))
	e.awaitReady("c")
	e.write("c", manyKeys)
	const damage = "head -c 100 /data/dump.rdb >/data/cut; mv /data/cut /data/dump.rdb"
	replica, primary, heir := e.replicaOf("c", 0), e.primaryOf("c", 1), e.replicaOf("c", 1)
	for _, node := range []string{replica, primary} {
		e.ask("c", e.podOf(node).Status.PodIP, "SAVE")
	}
	e.spoil(replica, damage)
	e.eventually("the dump is put aside, and the server runs without it", func() error {
		p := e.podOf(replica)
		out, err := exec.Command("kubectl", "-n", e.Name, "exec", p.Name, "-c", "server", "--", "ls", "/data/dump.rdb.damaged").CombinedOutput()
		if err != nil {
			return errorf("%w: %s", err, out)
		}
		return nil
	})
	e.awaitReady("c")

	e.spoil(primary, damage)
	e.eventually("the cluster says what is wrong", func() error {
		s := e.cluster("c").Status
		if s.State != v1alpha1.StateFailed || s.Reason != v1alpha1.ReasonDataDamaged || !strings.Contains(s.Message, "Unexpected EOF") || !strings.Contains(s.Message, "delete the claim valkey-"+primary+"-data") {
			return errorf("%s, %s: %s", s.State, s.Reason, s.Message)
		}
		return nil
	})
	kubectl(t, "-n", e.Name, "delete", "--wait=false", "pvc", "valkey-"+primary+"-data")
	kubectl(t, "-n", e.Name, "delete", "--wait=false", "pod", e.podOf(primary).Name)
	e.eventually("another primary", func() error {
		if p := e.primaryOf("c", 1); p != heir {
			return errorf("the primary of shard 1 is %s", p)
		}
		return nil
	})
	e.awaitReady("c")
	e.read("c", manyKeys)
}
