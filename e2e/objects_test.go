package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// apply does what kubectl apply does with the text of a manifest, with strict
// validation, and returns the API server's refusal.
func (e *env) apply(manifest string) error {
	e.t.Helper()
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewBufferString(manifest), 4096)
	for {
		u := &unstructured.Unstructured{}
		if err := decoder.Decode(&u.Object); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			e.t.Fatal(err)
		}
		if len(u.Object) == 0 {
			continue
		}
		u.SetNamespace(e.namespace)
		strict := client.WithFieldValidation(e.Client, metav1.FieldValidationStrict)
		//nolint:staticcheck // a manifest of any kind has no typed apply configuration
		if err := strict.Patch(e.ctx(), u, client.Apply, client.FieldOwner("kubectl"), client.ForceOwnership); err != nil {
			return err
		}
	}
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
	c := &v1alpha1.ValkeyCluster{}
	e.must(e.Get(e.ctx(), client.ObjectKey{Namespace: e.namespace, Name: name}, c))
	return c
}

func (e *env) node(name string) *v1alpha1.ValkeyNode {
	e.t.Helper()
	n := &v1alpha1.ValkeyNode{}
	e.must(e.Get(e.ctx(), client.ObjectKey{Namespace: e.namespace, Name: name}, n))
	return n
}

// nodes returns the ValkeyNodes of a cluster.
func (e *env) nodes(cluster string) []v1alpha1.ValkeyNode {
	e.t.Helper()
	list := &v1alpha1.ValkeyNodeList{}
	e.must(e.List(e.ctx(), list, client.InNamespace(e.namespace), client.MatchingLabels{v1alpha1.LabelCluster: cluster}))
	return list.Items
}

// pods returns the pods of a cluster by the name of their ValkeyNode.
func (e *env) pods(cluster string) map[string]corev1.Pod {
	e.t.Helper()
	list := &corev1.PodList{}
	e.must(e.List(e.ctx(), list, client.InNamespace(e.namespace), client.MatchingLabels{v1alpha1.LabelCluster: cluster}))
	pods := map[string]corev1.Pod{}
	for _, p := range list.Items {
		pods[p.Labels[v1alpha1.LabelNode]] = p
	}
	return pods
}

func (e *env) claims() []corev1.PersistentVolumeClaim {
	e.t.Helper()
	list := &corev1.PersistentVolumeClaimList{}
	e.must(e.List(e.ctx(), list, client.InNamespace(e.namespace)))
	return list.Items
}

// awaitReady waits until the cluster says Ready of the spec that it has now,
// and checks that it tells the truth.
func (e *env) awaitReady(name string) *v1alpha1.ValkeyCluster {
	e.t.Helper()
	var ready *v1alpha1.ValkeyCluster
	e.eventually("cluster "+name+" becomes Ready", func() error {
		ready = e.cluster(name)
		return isReady(ready)
	})
	e.checkTruth(ready)
	return ready
}

func isReady(c *v1alpha1.ValkeyCluster) error {
	condition := meta.FindStatusCondition(c.Status.Conditions, v1alpha1.ConditionReady)
	switch {
	case condition == nil:
		return errors.New("no condition Ready")
	case c.Status.ObservedGeneration != c.Generation:
		return fmt.Errorf("generation %d observed, the spec has %d", c.Status.ObservedGeneration, c.Generation)
	case c.Status.State != v1alpha1.StateReady || condition.Status != metav1.ConditionTrue:
		return fmt.Errorf("%s, %s: %s", c.Status.State, c.Status.Reason, c.Status.Message)
	}
	return nil
}

// awaitGone waits until the object is no more.
func (e *env) awaitGone(o client.Object) {
	e.t.Helper()
	e.eventually(fmt.Sprintf("%T %s is gone", o, o.GetName()), func() error {
		err := e.Get(e.ctx(), client.ObjectKeyFromObject(o), o)
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err == nil {
			err = errors.New("it is still there")
		}
		return err
	})
}
