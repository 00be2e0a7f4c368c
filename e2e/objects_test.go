package e2e

import (
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/podtest"
)

// apply does what kubectl apply does, and returns the API server's refusal.
func (e *env) apply(manifest string) error {
	e.t.Helper()
	return e.Apply(e.ctx(), manifest)
}

func (e *env) mustApply(manifest string) {
	e.t.Helper()
	e.must(e.apply(manifest))
}

// example returns the text of a manifest of the repository.
func (e *env) example(name string) string {
	e.t.Helper()
	text, err := os.ReadFile("../examples/" + name)
	e.must(err)
	return string(text)
}

func (e *env) cluster(name string) *v1alpha1.ValkeyCluster {
	e.t.Helper()
	c, err := e.Cluster(e.ctx(), name)
	e.must(err)
	return c
}

func (e *env) node(name string) *v1alpha1.ValkeyNode {
	e.t.Helper()
	n := &v1alpha1.ValkeyNode{}
	e.must(e.Get(e.ctx(), client.ObjectKey{Namespace: e.Name, Name: name}, n))
	return n
}

// nodes returns the ValkeyNodes of a cluster.
func (e *env) nodes(cluster string) []v1alpha1.ValkeyNode {
	e.t.Helper()
	list := &v1alpha1.ValkeyNodeList{}
	e.must(e.List(e.ctx(), list, client.InNamespace(e.Name), client.MatchingLabels{v1alpha1.LabelCluster: cluster}))
	return list.Items
}

// pods returns the pods of a cluster by the name of their ValkeyNode.
func (e *env) pods(cluster string) map[string]corev1.Pod {
	e.t.Helper()
	pods, err := e.Pods(e.ctx(), cluster)
	e.must(err)
	return pods
}

func (e *env) claims() []corev1.PersistentVolumeClaim {
	e.t.Helper()
	list := &corev1.PersistentVolumeClaimList{}
	e.must(e.List(e.ctx(), list, client.InNamespace(e.Name)))
	return list.Items
}

// awaitReady waits until the cluster says Ready of the spec that it has now,
// and checks that it tells the truth.
func (e *env) awaitReady(name string) *v1alpha1.ValkeyCluster {
	e.t.Helper()
	var ready *v1alpha1.ValkeyCluster
	e.eventually("cluster "+name+" becomes Ready", func() error {
		ready = e.cluster(name)
		return podtest.Ready(ready)
	})
	e.checkTruth(ready)
	return ready
}

// awaitGone waits until the object is no more.
func (e *env) awaitGone(o client.Object) {
	e.t.Helper()
	e.eventually(fmt.Sprintf("%T %s is gone", o, o.GetName()), func() error { return e.Gone(e.ctx(), o) })
}
