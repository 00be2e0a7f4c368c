package vknode

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

func TestRecordTravelsInTheConfigMap(t *testing.T) {
	n := node(persistent)
	record, err := NewRecord(n)
	if err != nil {
		t.Fatal(err)
	}
	process := Process{Pod: "uid", Run: "run-1"}
	unread := NewUnread(process, "b", "a", "a")
	live := decode(t, ConfigMap(n, File{"dir": "dir /data"}, unread, record), &corev1.ConfigMap{})
	got, found := RecordIn(live)
	if !found || got != record {
		t.Errorf("read back %+v, %v", got, found)
	}
	if diff := cmp.Diff(Unread{Process: process, Names: []string{"a", "b"}}, UnreadIn(live)); diff != "" {
		t.Error(diff)
	}
	if _, found := RecordIn(&corev1.ConfigMap{}); found {
		t.Error("found a record where there is none")
	}
	live.Annotations[annotationTemplate] = "{"
	if _, found := RecordIn(live); found {
		t.Error("found a record that cannot be read")
	}
}

// A template that was read from a workload is applied as it is.
func TestRecordOfLiveTemplate(t *testing.T) {
	live := node().Spec.PodTemplate
	live.Spec.DNSPolicy = corev1.DNSClusterFirst
	record, err := RecordOfLive("hash", &live)
	if err != nil {
		t.Fatal(err)
	}
	template, err := record.PodTemplate()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(live, *decode(t, template, &corev1.PodTemplateSpec{})); diff != "" {
		t.Error(diff)
	}
}

// decode returns an apply configuration as the object that it means.
func decode[T any](t *testing.T, from any, into *T) *T {
	t.Helper()
	text, err := json.Marshal(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
	return into
}

func TestStatefulSet(t *testing.T) {
	n := node(func(n *v1alpha1.ValkeyNode) {
		n.Labels = map[string]string{v1alpha1.LabelCluster: "cache", "team": "blue"}
		n.Spec.ServiceName = "valkey-cache"
	})
	record, err := NewRecord(n)
	if err != nil {
		t.Fatal(err)
	}
	object, err := StatefulSet(n, record)
	if err != nil {
		t.Fatal(err)
	}
	set := decode(t, object, &appsv1.StatefulSet{})
	want := appsv1.StatefulSetSpec{
		Replicas:            new(int32(1)),
		Selector:            &metav1.LabelSelector{MatchLabels: map[string]string{"valkey.io/node": "cache-0-0"}},
		ServiceName:         "valkey-cache",
		PodManagementPolicy: appsv1.ParallelPodManagement,
		UpdateStrategy:      appsv1.StatefulSetUpdateStrategy{Type: appsv1.OnDeleteStatefulSetStrategyType},
		Template:            set.Spec.Template,
	}
	if diff := cmp.Diff(want, set.Spec); diff != "" {
		t.Error(diff)
	}
	wantMeta := metav1.ObjectMeta{
		Namespace: "ns", Name: "valkey-cache-0-0",
		Labels: map[string]string{
			v1alpha1.LabelNode: "cache-0-0", v1alpha1.LabelManagedBy: "valkey-operator", v1alpha1.LabelCluster: "cache",
		},
		Annotations: map[string]string{annotationTemplateHash: TemplateHash(n)},
		OwnerReferences: []metav1.OwnerReference{{
			APIVersion: "valkey.io/v1alpha1", Kind: "ValkeyNode", Name: "cache-0-0", UID: "uid-1",
			Controller: new(true), BlockOwnerDeletion: new(true),
		}},
	}
	if diff := cmp.Diff(wantMeta, set.ObjectMeta); diff != "" {
		t.Error(diff)
	}
	if m := StatefulSetMismatch(n, set); m != "" {
		t.Errorf("what was rendered differs from itself in %s", m)
	}
	for field, change := range map[string]func(*appsv1.StatefulSet){
		"selector":             func(s *appsv1.StatefulSet) { s.Spec.Selector.MatchLabels["x"] = "y" },
		"serviceName":          func(s *appsv1.StatefulSet) { s.Spec.ServiceName = "other" },
		"podManagementPolicy":  func(s *appsv1.StatefulSet) { s.Spec.PodManagementPolicy = appsv1.OrderedReadyPodManagement },
		"volumeClaimTemplates": func(s *appsv1.StatefulSet) { s.Spec.VolumeClaimTemplates = make([]corev1.PersistentVolumeClaim, 1) },
	} {
		other := set.DeepCopy()
		change(other)
		if got := StatefulSetMismatch(n, other); got != field {
			t.Errorf("differs in %s, found %q", field, got)
		}
	}
}

func TestDeployment(t *testing.T) {
	n := node(func(n *v1alpha1.ValkeyNode) { n.Spec.WorkloadType = v1alpha1.WorkloadDeployment })
	record, err := NewRecord(n)
	if err != nil {
		t.Fatal(err)
	}
	object, err := Deployment(n, record)
	if err != nil {
		t.Fatal(err)
	}
	d := decode(t, object, &appsv1.Deployment{})
	if d.Spec.Strategy.Type != appsv1.RecreateDeploymentStrategyType || *d.Spec.Replicas != 1 || AppliedTemplateHash(d) != TemplateHash(n) {
		t.Errorf("%+v", d)
	}
	if m := DeploymentMismatch(n, d); m != "" {
		t.Errorf("what was rendered differs from itself in %s", m)
	}
	d.Spec.Selector.MatchLabels["x"] = "y"
	if m := DeploymentMismatch(n, d); m != "selector" {
		t.Errorf("another selector is %q", m)
	}
}

func TestClaim(t *testing.T) {
	n := node(persistent)
	made := decode(t, Claim(n, nil), &corev1.PersistentVolumeClaim{})
	if made.Spec.StorageClassName != nil || made.Spec.Resources.Requests.Storage().String() != "10Gi" ||
		len(made.OwnerReferences) != 0 || !Ours(made, "cache-0-0") || Ours(made, "cache-0-1") {
		t.Errorf("%+v", made)
	}
	for name, c := range map[string]struct{ has, want string }{
		"smaller": {"1Gi", "10Gi"},
		"larger":  {"20Gi", "20Gi"},
	} {
		existing := made.DeepCopy()
		existing.Spec.StorageClassName = new("earlier")
		existing.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOncePod}
		existing.Spec.Resources.Requests[corev1.ResourceStorage] = resource.MustParse(c.has)
		got := decode(t, Claim(n, existing), &corev1.PersistentVolumeClaim{})
		if *got.Spec.StorageClassName != "earlier" || got.Spec.AccessModes[0] != corev1.ReadWriteOncePod ||
			got.Spec.Resources.Requests.Storage().String() != c.want {
			t.Errorf("%s: %+v", name, got.Spec)
		}
	}
}
