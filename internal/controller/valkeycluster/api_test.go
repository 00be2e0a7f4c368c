package valkeycluster

import (
	"context"
	"fmt"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/api/resource"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/apitest"
	"github.com/valkey-operator/valkey-operator/internal/spec"
	"github.com/valkey-operator/valkey-operator/internal/topology"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/watch"
)

func TestMain(m *testing.M) { apitest.Main(m) }

// world is a namespace with a cluster, and a reconciler that is called by hand
// and reads without a cache. No pods run here.
type world struct {
	*testing.T
	client.Client
	namespace string
	events    *events.FakeRecorder
	cluster   *v1alpha1.ValkeyCluster
}

func newWorld(t *testing.T) *world {
	t.Helper()
	api := apitest.Start(t)
	c, err := client.New(api.Config, client.Options{Scheme: clientscheme.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, Client: c, namespace: api.Namespace(t), events: events.NewFakeRecorder(100)}
	w.cluster = &v1alpha1.ValkeyCluster{
		ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: w.namespace},
		Spec:       v1alpha1.ValkeyClusterSpec{Shards: 2, Replicas: 1},
	}
	w.must(c.Create(t.Context(), w.cluster))
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// operator is one life of the operator: what it remembered before is gone.
func (w *world) operator() *Reconciler {
	return New(w.Client, w.Client, valkey.TCP{}, watch.New(valkey.TCP{}, watch.Interval), w.events, spec.Defaults{})
}

func (w *world) pass(r *Reconciler) {
	w.Helper()
	_, err := r.Reconcile(w.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(w.cluster)})
	w.must(err)
}

func (w *world) get(name string, o client.Object) {
	w.Helper()
	w.must(w.Client.Get(w.Context(), types.NamespacedName{Namespace: w.namespace, Name: name}, o))
}

func (w *world) status() v1alpha1.ValkeyClusterStatus {
	w.Helper()
	c := &v1alpha1.ValkeyCluster{}
	w.get("c", c)
	return c.Status
}

// One pass makes everything at once, owned by the cluster and protected.
func TestEverythingAtOnce(t *testing.T) {
	w := newWorld(t)
	w.pass(w.operator())
	for name, o := range map[string]client.Object{
		"valkey-c": &corev1.Service{}, "valkey-c-client": &corev1.Service{}, "valkey-c-read": &corev1.Service{},
		"c-auth": &corev1.Secret{}, "internal-c-acl": &corev1.Secret{}, "internal-c-system-passwords": &corev1.Secret{},
		"c-0-0": &v1alpha1.ValkeyNode{}, "c-0-1": &v1alpha1.ValkeyNode{}, "c-1-0": &v1alpha1.ValkeyNode{}, "c-1-1": &v1alpha1.ValkeyNode{},
	} {
		w.get(name, o)
		if owner := metav1.GetControllerOf(o); owner == nil || owner.UID != w.cluster.UID {
			t.Errorf("%T %s is owned by %v", o, name, owner)
		}
		if _, node := o.(*v1alpha1.ValkeyNode); node {
			for _, f := range []string{v1alpha1.FinalizerProtection, v1alpha1.FinalizerVolumeCleanup} {
				if !slices.Contains(o.GetFinalizers(), f) {
					t.Errorf("%s lacks finalizer %s", name, f)
				}
			}
		}
	}
	if s := w.status(); s.State != v1alpha1.StateInitializing {
		t.Errorf("state %s: %s", s.State, s.Message)
	}
}

// A new life of the operator changes nothing that is as it should be: above
// all no password (A2, A3).
func TestNextLifeChangesNothing(t *testing.T) {
	w := newWorld(t)
	w.pass(w.operator())
	w.pass(w.operator())
	before := w.versions()
	for range 2 {
		w.pass(w.operator())
	}
	for name, version := range w.versions() {
		if before[name] != version {
			t.Errorf("%s went from %s to %s", name, before[name], version)
		}
	}
}

// versions returns the resource versions of what the cluster consists of.
func (w *world) versions() map[string]string {
	w.Helper()
	versions := map[string]string{}
	lists := map[string]client.ObjectList{"Secret": &corev1.SecretList{}, "Service": &corev1.ServiceList{}, "ConfigMap": &corev1.ConfigMapList{}, "ValkeyNode": &v1alpha1.ValkeyNodeList{}}
	for kind, list := range lists {
		w.must(w.Client.List(w.Context(), list, client.InNamespace(w.namespace), client.MatchingLabels{v1alpha1.LabelCluster: "c"}))
		w.must(eachItem(list, func(o client.Object) { versions[kind+" "+o.GetName()] = o.GetResourceVersion() }))
	}
	if len(versions) < 10 {
		w.Errorf("only %d objects found: %v", len(versions), versions)
	}
	return versions
}

func eachItem(list client.ObjectList, do func(client.Object)) error {
	switch list := list.(type) {
	case *corev1.SecretList:
		for i := range list.Items {
			do(&list.Items[i])
		}
	case *corev1.ServiceList:
		for i := range list.Items {
			do(&list.Items[i])
		}
	case *corev1.ConfigMapList:
		for i := range list.Items {
			do(&list.Items[i])
		}
	case *v1alpha1.ValkeyNodeList:
		for i := range list.Items {
			do(&list.Items[i])
		}
	default:
		return fmt.Errorf("no way to list %T", list)
	}
	return nil
}

// Somebody else's object of our name is reported and left as it is.
func TestNameConflict(t *testing.T) {
	w := newWorld(t)
	theirs := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "c-auth", Namespace: w.namespace},
		StringData: map[string]string{"password": "theirs"},
	}
	w.must(w.Client.Create(t.Context(), theirs))
	w.pass(w.operator())
	s := w.status()
	if s.State != v1alpha1.StateFailed || s.Reason != v1alpha1.ReasonNameConflict || !strings.Contains(s.Message, "Secret c-auth") {
		t.Errorf("%s, %s: %s", s.State, s.Reason, s.Message)
	}
	w.get("c-auth", theirs)
	if string(theirs.Data["password"]) != "theirs" || len(theirs.Data) != 1 || len(theirs.Labels) > 0 {
		t.Errorf("the object was touched: %v %v", theirs.Labels, len(theirs.Data))
	}
}

// An image that changes reaches no template by itself, only by the plan; what
// restarts nothing is written in each pass.
func TestTemplateIsWrittenByThePlanOnly(t *testing.T) {
	w := newWorld(t)
	r := w.operator()
	w.pass(r)
	w.get("c", w.cluster)
	w.cluster.Spec.Image = "valkey/valkey:8.1"
	w.must(w.Client.Update(t.Context(), w.cluster))
	node := &v1alpha1.ValkeyNode{}
	w.get("c-0-0", node)
	before := node.Spec.PodTemplate.Annotations[v1alpha1.AnnotationInputsHash]

	writer := nodeWriter{r: r, want: spec.Resolve(w.cluster, spec.Defaults{})}
	guard := topology.Guard{Pod: "uid", Role: topology.RoleReplica}
	w.must(writer.Roll(context.Background(), "c-0-0", guard))
	w.get("c-0-0", node)
	after := node.Spec.PodTemplate.Annotations
	if after[v1alpha1.AnnotationInputsHash] == before || after[v1alpha1.AnnotationRollIf] != "uid/replica" {
		t.Errorf("annotations %v", after)
	}
	if image := node.Spec.PodTemplate.Spec.Containers[0].Image; image != "valkey/valkey:8.1" {
		t.Errorf("image %s", image)
	}
	if len(node.Spec.Config) == 0 || len(node.Finalizers) != 2 || node.Labels[v1alpha1.LabelCluster] != "c" {
		t.Errorf("writing the template took away what the other owner wrote: %v", node.ObjectMeta)
	}
}

// What was set can be taken back: an object that empties must not be written
// as null, which the API server refuses.
func TestResourcesAreTakenBack(t *testing.T) {
	w := newWorld(t)
	r := w.operator()
	w.pass(r)
	cpu := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("10m")}
	for _, want := range []corev1.ResourceRequirements{
		{},
		{Limits: cpu, Requests: cpu},
		{Requests: cpu},
		{Limits: cpu},
		{},
		{Limits: cpu},
		{Requests: corev1.ResourceList{}},
	} {
		w.get("c", w.cluster)
		w.cluster.Spec.Resources = want
		w.must(w.Client.Update(t.Context(), w.cluster))
		writer := nodeWriter{r: r, want: spec.Resolve(w.cluster, spec.Defaults{})}
		if err := writer.Roll(t.Context(), "c-0-0", topology.Guard{}); err != nil {
			t.Fatalf("resources %v: %v", want, err)
		}
		node := &v1alpha1.ValkeyNode{}
		w.get("c-0-0", node)
		got := node.Spec.PodTemplate.Spec.Containers[0].Resources
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("resources (-want +got):\n%s", diff)
		}
	}
}

// What a node says of data that cannot be loaded is the cluster's trouble, and a
// human's.
func TestDamagedDataOfANodeIsTold(t *testing.T) {
	w := newWorld(t)
	w.pass(w.operator())
	n := &v1alpha1.ValkeyNode{}
	w.get("c-0-1", n)
	n.Status.Conditions = []metav1.Condition{{
		Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonDataDamaged,
		Message: "the server in pod x cannot load its data: RDB CRC error", LastTransitionTime: metav1.Now(),
	}}
	w.must(w.Client.Status().Update(w.Context(), n))
	w.pass(w.operator())
	s := w.status()
	if s.State != v1alpha1.StateFailed || s.Reason != v1alpha1.ReasonDataDamaged || !strings.Contains(s.Message, "node c-0-1: the server in pod x cannot load its data: RDB CRC error") {
		t.Errorf("%s, %s: %s", s.State, s.Reason, s.Message)
	}
}
