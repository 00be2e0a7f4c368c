package e2e

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// A ValkeyNode without a parent works: it is Ready as a primary, and its data
// outlives the pod.
func TestNodeWithoutParent(t *testing.T) {
	t.Parallel()
	e := newOpenEnv(t)
	e.mustApply(e.example("node.yaml"))
	pod := e.awaitNodeReady("cache-0-0", "")
	e.exec(pod.Name, "valkey", "valkey-cli SET greeting hello")

	e.must(e.Delete(e.ctx(), &pod))
	again := e.awaitNodeReady("cache-0-0", pod.UID)
	if got := e.exec(again.Name, "valkey", "valkey-cli GET greeting"); strings.TrimSpace(got) != "hello" {
		t.Errorf("after the pod was deleted the key holds %q", got)
	}

	node := e.node("cache-0-0")
	e.must(e.Delete(e.ctx(), node))
	e.awaitGone(node)
	if claims := e.claims(); len(claims) != 1 {
		t.Errorf("%d claims are left, want the one that Retain keeps", len(claims))
	}
}

// awaitNodeReady waits until the node is Ready as a primary in another pod than
// the one given.
func (e *env) awaitNodeReady(name string, not any) corev1.Pod {
	e.t.Helper()
	var pod corev1.Pod
	e.eventually("node "+name+" becomes Ready", func() error {
		n := e.node(name)
		e.must(client.IgnoreNotFound(e.Get(e.ctx(), client.ObjectKey{Namespace: e.Name, Name: "valkey-" + name + "-0"}, &pod)))
		ready := meta.IsStatusConditionTrue(n.Status.Conditions, v1alpha1.ConditionReady)
		if !ready || n.Status.ObservedRole != v1alpha1.RolePrimary || pod.UID == not || n.Status.PodIP != pod.Status.PodIP {
			return errorf("%+v, pod %s", n.Status, pod.UID)
		}
		return nil
	})
	return pod
}

// The manifest of the design: claims of the agreed names without an owner,
// nodes.conf and data on them; deleting the cluster keeps them, and applying it
// again takes them back with every key.
func TestPersistentCluster(t *testing.T) {
	t.Parallel()
	const keys = 2000
	e := newEnv(t)
	e.mustApply(e.example("cluster-persistent.yaml"))
	e.awaitReady("my-cluster")
	e.write("my-cluster", keys)
	e.checkClaims()
	for name := range e.pods("my-cluster") {
		files := e.exec("valkey-"+name+"-0", "server", "ls /data")
		if !strings.Contains(files, "nodes.conf") {
			t.Errorf("the volume of %s holds %q, want nodes.conf", name, files)
		}
	}

	cluster := e.cluster("my-cluster")
	e.must(e.Delete(e.ctx(), cluster))
	e.awaitGone(cluster)
	e.eventually("all nodes and pods are gone", func() error {
		if n, p := len(e.nodes("my-cluster")), len(e.pods("my-cluster")); n+p > 0 {
			return errorf("%d nodes and %d pods are left", n, p)
		}
		return nil
	})
	e.checkClaims()

	e.mustApply(e.example("cluster-persistent.yaml"))
	e.awaitReady("my-cluster")
	e.read("my-cluster", keys)
}

func (e *env) checkClaims() {
	e.t.Helper()
	claims := e.claims()
	if len(claims) != 6 {
		e.t.Errorf("%d claims, want 6", len(claims))
	}
	for _, c := range claims {
		if len(c.OwnerReferences) > 0 || c.Name != "valkey-"+c.Labels[v1alpha1.LabelNode]+"-data" || c.Status.Phase != corev1.ClaimBound {
			e.t.Errorf("claim %s: owners %v, labels %v, %s", c.Name, c.OwnerReferences, c.Labels, c.Status.Phase)
		}
	}
}

// The columns of the first design document are what kubectl prints.
func TestPrintedColumns(t *testing.T) {
	e := newEnv(t)
	e.mustApply(manifest("c", 1, 1, ""))
	e.awaitReady("c")
	out := kubectl(t, "-n", e.Name, "get", "valkeynode")
	if header := strings.Fields(strings.SplitN(out, "\n", 2)[0]); strings.Join(header, " ") != "NAME READY ROLE POD-IP REPLICA-OF AGE" {
		t.Errorf("columns %q", header)
	}
	if !strings.Contains(out, "primary") || !strings.Contains(out, "replica") {
		t.Errorf("roles are missing:\n%s", out)
	}
	out = kubectl(t, "-n", e.Name, "get", "vkc")
	if header := strings.Fields(strings.SplitN(out, "\n", 2)[0]); strings.Join(header, " ") != "NAME STATE REASON SHARDS READY AGE" {
		t.Errorf("columns %q", header)
	}
	if !strings.Contains(out, "1/1") {
		t.Errorf("no ready shards:\n%s", out)
	}
}
