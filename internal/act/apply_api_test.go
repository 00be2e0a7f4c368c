package act

import (
	"context"
	"errors"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	appsac "k8s.io/client-go/applyconfigurations/apps/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
	metaac "k8s.io/client-go/applyconfigurations/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/valkey-operator/valkey-operator/internal/apitest"
)

func TestMain(m *testing.M) { apitest.Main(m) }

// applying is an Applier whose requests are counted. Its cache is what cached
// returns, the API server where that is nil.
type applying struct {
	*testing.T
	*Applier
	api       *apitest.API
	namespace string
	hidden    bool // the cache has nothing
	stale     client.Object
	writes    int
	liveReads int
}

const parentUID = types.UID("6d0f6a4e-0000-4000-8000-000000000000")

func newApplying(t *testing.T) *applying {
	t.Helper()
	a := &applying{T: t, api: apitest.Start(t)}
	a.namespace = a.api.Namespace(t)
	inner, err := client.NewWithWatch(a.api.Config, client.Options{Scheme: a.api.Client.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	cached := interceptor.NewClient(inner, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			switch {
			case a.hidden:
				return apierrors.NewNotFound(corev1.Resource("x"), key.Name)
			case a.stale != nil:
				a.stale.(*corev1.ConfigMap).DeepCopyInto(o.(*corev1.ConfigMap))
				return nil
			}
			return c.Get(ctx, key, o, opts...)
		},
		Apply: func(ctx context.Context, c client.WithWatch, o runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
			a.writes++
			return c.Apply(ctx, o, opts...)
		},
	})
	live := interceptor.NewClient(inner, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			a.liveReads++
			return c.Get(ctx, key, o, opts...)
		},
	})
	a.Applier = NewApplier(cached, live, "test-owner")
	return a
}

func (a *applying) configMap(data map[string]string) Intent {
	return Intent{
		Object: coreac.ConfigMap("x", a.namespace).WithData(data).WithOwnerReferences(controller()),
		Ours:   ControlledBy(parentUID),
		For:    types.NamespacedName{Namespace: a.namespace, Name: "parent"},
	}
}

func controller() *metaac.OwnerReferenceApplyConfiguration {
	return metaac.OwnerReference().WithAPIVersion("v1").WithKind("Parent").WithName("parent").WithUID(parentUID).WithController(true)
}

// writes applies the intent and checks how many write requests that costs.
func (a *applying) costs(want int, intent Intent) {
	a.Helper()
	before := a.writes
	if err := a.Apply(a.Context(), intent); err != nil {
		a.Fatal(err)
	}
	if got := a.writes - before; got != want {
		a.Errorf("%d writes, want %d", got, want)
	}
}

func (a *applying) live() *corev1.ConfigMap {
	a.Helper()
	c := &corev1.ConfigMap{}
	if err := a.api.Client.Get(a.Context(), types.NamespacedName{Namespace: a.namespace, Name: "x"}, c); err != nil {
		a.Fatal(err)
	}
	return c
}

func TestUnchangedObjectCostsNoRequest(t *testing.T) {
	a := newApplying(t)
	a.costs(1, a.configMap(map[string]string{"k": "1"}))
	reads := a.liveReads
	for range 5 {
		a.costs(0, a.configMap(map[string]string{"k": "1"}))
	}
	if a.liveReads != reads {
		t.Errorf("%d live reads", a.liveReads-reads)
	}
	a.costs(1, a.configMap(map[string]string{"k": "2"}))
	a.costs(0, a.configMap(map[string]string{"k": "2"}))
	if got := a.live().Data["k"]; got != "2" {
		t.Errorf("k is %s", got)
	}
}

func TestWhatSomebodyElseWroteIsTakenBack(t *testing.T) {
	a := newApplying(t)
	a.costs(1, a.configMap(map[string]string{"k": "1"}))
	changed := a.live()
	changed.Data = map[string]string{"k": "2", "theirs": "3"}
	if err := a.api.Client.Update(t.Context(), changed); err != nil {
		t.Fatal(err)
	}
	a.costs(1, a.configMap(map[string]string{"k": "1"}))
	if got := a.live().Data; got["k"] != "1" || got["theirs"] != "3" {
		t.Errorf("data %v: ours has to be back, theirs is none of our business", got)
	}
	a.costs(0, a.configMap(map[string]string{"k": "1"}))
}

func TestFieldThatIsNoLongerWantedGoes(t *testing.T) {
	a := newApplying(t)
	a.costs(1, a.configMap(map[string]string{"k": "1", "l": "1"}))
	a.costs(1, a.configMap(map[string]string{"k": "1"}))
	if got := a.live().Data; len(got) != 1 {
		t.Errorf("data %v", got)
	}
}

func TestDeletedObjectIsMadeAgain(t *testing.T) {
	a := newApplying(t)
	a.costs(1, a.configMap(nil))
	if err := a.api.Client.Delete(t.Context(), a.live()); err != nil {
		t.Fatal(err)
	}
	a.costs(1, a.configMap(nil))
	a.live()
}

// The cache shows the object as it was before our own last write.
func TestCacheThatIsBehind(t *testing.T) {
	a := newApplying(t)
	a.costs(1, a.configMap(map[string]string{"k": "1"}))
	a.stale = a.live()
	a.costs(1, a.configMap(map[string]string{"k": "2"}))
	a.costs(0, a.configMap(map[string]string{"k": "2"}))
}

// The cache does not show the object, because it is new or lost our label.
func TestObjectThatTheCacheDoesNotHold(t *testing.T) {
	a := newApplying(t)
	a.costs(1, a.configMap(map[string]string{"k": "1"}))
	a.hidden = true
	a.costs(0, a.configMap(map[string]string{"k": "1"}))
	a.costs(1, a.configMap(map[string]string{"k": "2"}))
}

func TestObjectOfSomebodyElseIsNotTouched(t *testing.T) {
	for name, owners := range map[string][]metav1.OwnerReference{
		"nobody's":   nil,
		"another's":  {{APIVersion: "v1", Kind: "Parent", Name: "parent", UID: "another", Controller: new(true)}},
		"not ruled":  {{APIVersion: "v1", Kind: "Parent", Name: "parent", UID: parentUID}},
		"in a cache": nil,
	} {
		t.Run(name, func(t *testing.T) {
			a := newApplying(t)
			foreign := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: a.namespace, Name: "x", OwnerReferences: owners}}
			a.api.Create(t, foreign)
			a.hidden = name != "in a cache"
			err := a.Apply(t.Context(), a.configMap(map[string]string{"k": "1"}))
			var conflict *NameConflict
			if !errors.As(err, &conflict) || conflict.Kind != "ConfigMap" || conflict.Name != "x" {
				t.Fatalf("error %v", err)
			}
			if now := a.live(); now.ResourceVersion != foreign.ResourceVersion || a.writes != 0 {
				t.Error("it was written to")
			}
		})
	}
}

// Between the look and the write the object is replaced by somebody else's.
func TestObjectThatChangesHandsIsNotTouched(t *testing.T) {
	a := newApplying(t)
	a.costs(1, a.configMap(map[string]string{"k": "1"}))
	a.stale = a.live()
	if err := a.api.Client.Delete(t.Context(), a.live()); err != nil {
		t.Fatal(err)
	}
	foreign := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: a.namespace, Name: "x"}, Data: map[string]string{"k": "theirs"}}
	a.api.Create(t, foreign)
	if err := a.Apply(t.Context(), a.configMap(map[string]string{"k": "2"})); !apierrors.IsConflict(err) {
		t.Errorf("error %v, want a conflict", err)
	}
	if got := a.live().Data["k"]; got != "theirs" {
		t.Errorf("k is %s", got)
	}
}

// Workloads get a new resource version with every change of their status.
func TestChangeOfStatusCostsNoRequest(t *testing.T) {
	a := newApplying(t)
	labels := map[string]string{"a": "b"}
	set := Intent{
		Object: appsac.StatefulSet("x", a.namespace).WithOwnerReferences(controller()).WithSpec(appsac.StatefulSetSpec().
			WithReplicas(1).
			WithSelector(metaac.LabelSelector().WithMatchLabels(labels)).
			WithTemplate(coreac.PodTemplateSpec().WithLabels(labels).WithSpec(coreac.PodSpec().
				WithContainers(coreac.Container().WithName("x").WithImage("x"))))),
		Ours: ControlledBy(parentUID),
	}
	a.costs(1, set)
	live := &appsv1.StatefulSet{}
	read := func() {
		if err := a.api.Client.Get(t.Context(), types.NamespacedName{Namespace: a.namespace, Name: "x"}, live); err != nil {
			t.Fatal(err)
		}
	}
	read()
	live.Status.ReadyReplicas, live.Status.Replicas = 1, 1
	if err := a.api.Client.Status().Update(t.Context(), live); err != nil {
		t.Fatal(err)
	}
	a.costs(0, set)
	read()
	live.Labels = map[string]string{"theirs": "x"}
	live.OwnerReferences[0].BlockOwnerDeletion = new(true)
	if err := a.api.Client.Update(t.Context(), live); err != nil {
		t.Fatal(err)
	}
	a.costs(1, set)
	a.costs(0, set)
}

func TestForget(t *testing.T) {
	a := newApplying(t)
	a.costs(1, a.configMap(nil))
	a.Forget(types.NamespacedName{Namespace: a.namespace, Name: "another"})
	a.costs(0, a.configMap(nil))
	a.Forget(types.NamespacedName{Namespace: a.namespace, Name: "parent"})
	if len(a.left) != 0 {
		t.Errorf("remembers %v", a.left)
	}
	a.costs(1, a.configMap(nil))
}

func TestIntentWithoutName(t *testing.T) {
	a := NewApplier(nil, nil, "x")
	if err := a.Apply(t.Context(), Intent{Object: &coreac.ConfigMapApplyConfiguration{}}); err == nil {
		t.Error("no error")
	}
}
