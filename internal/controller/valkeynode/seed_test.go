package valkeynode

import (
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// seed is the manifest of the proposal that ValkeyNode comes from, unchanged.
const seed = `
apiVersion: valkey.io/v1alpha1
kind: ValkeyNode
metadata:
  name: cache-0-0
spec:
  workloadType: StatefulSet
  podTemplate:
    spec:
      containers:
        - name: valkey
          image: valkey/valkey:8.0
  persistence:
    mode: enabled
    size: 10Gi
  config: {}
`

func TestSeedManifestBecomesReady(t *testing.T) {
	w := newWorld(t)
	manifest := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(seed), &manifest.Object); err != nil {
		t.Fatal(err)
	}
	manifest.SetNamespace(w.namespace)
	w.Create(t, manifest)
	w.awaitsReady("cache-0-0")

	n := get(w, "cache-0-0", &v1alpha1.ValkeyNode{})
	pod := w.pod("cache-0-0")
	if s := n.Status; !s.Ready || s.ObservedRole != v1alpha1.RolePrimary || s.ObservedReplicaOf != "" ||
		s.PodName != pod.Name || s.PodIP != pod.Status.PodIP || s.PVCName != "valkey-cache-0-0-data" {
		t.Errorf("status %+v", s)
	}
	claim := get(w, "valkey-cache-0-0-data", &corev1.PersistentVolumeClaim{})
	if len(claim.OwnerReferences) != 0 {
		t.Errorf("the claim has owners: %v", claim.OwnerReferences)
	}
	server := pod.Spec.Containers[0]
	if server.Name != "valkey" || server.Command[1] != "/etc/valkey/start.sh" {
		t.Errorf("server container %+v", server)
	}
	file := get(w, "valkey-cache-0-0", &corev1.ConfigMap{}).Data["valkey.conf"]
	want := "# Written by valkey-operator; changes made here are undone.\n" +
		"cluster-config-file /data/nodes.conf\ndir /data\nprotected-mode no\n"
	if file != want {
		t.Errorf("valkey.conf:\n%s", file)
	}
}

func TestConvergedNodeCostsNoRequest(t *testing.T) {
	w := newWorld(t)
	w.Create(t, w.node("a"))
	w.awaitsReady("a")
	w.settles()
	logged.take()
	// A pass that finds nothing to do: the one request is the test's.
	for i := range 5 {
		w.update("a", func(n *v1alpha1.ValkeyNode) { n.Annotations = map[string]string{"example.com/n": strconv.Itoa(i)} })
		time.Sleep(100 * time.Millisecond)
	}
	if sent := w.requests.take(); len(sent) > 0 {
		t.Errorf("requests of a converged node: %v", sent)
	}
	if said := logged.take(); len(said) > 0 {
		t.Errorf("log of a converged node: %v", said)
	}
	if written := w.network.sets(); len(written) > 0 {
		t.Errorf("a converged server was sent CONFIG SET %v", written)
	}
}
