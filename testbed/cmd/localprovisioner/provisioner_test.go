package main

import (
	"errors"
	"testing"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"
)

func node(name string, ready v1.ConditionStatus, cordoned bool) v1.Node {
	return v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1.NodeSpec{Unschedulable: cordoned},
		Status:     v1.NodeStatus{Conditions: []v1.NodeCondition{{Type: v1.NodeReady, Status: ready}}},
	}
}

func volumeOn(node string) v1.PersistentVolume {
	reclaim := v1.PersistentVolumeReclaimDelete
	return *localVolume(controller.ProvisionOptions{
		PVName: "pv", PVC: &v1.PersistentVolumeClaim{}, StorageClass: &storagev1.StorageClass{ReclaimPolicy: &reclaim},
	}, "/volumes/pv", node)
}

func TestEmptiest(t *testing.T) {
	foreign := v1.PersistentVolume{Spec: v1.PersistentVolumeSpec{}}
	tests := []struct {
		name    string
		nodes   []v1.Node
		volumes []v1.PersistentVolume
		want    string
	}{
		{"first by name among equals", []v1.Node{node("b", "True", false), node("a", "True", false)}, nil, "a"},
		{"fewest volumes", []v1.Node{node("a", "True", false), node("b", "True", false)},
			[]v1.PersistentVolume{volumeOn("a"), foreign}, "b"},
		{"not ready", []v1.Node{node("a", "Unknown", false), node("b", "True", false)}, nil, "b"},
		{"cordoned", []v1.Node{node("a", "True", true), node("b", "True", false)}, nil, "b"},
		{"none", []v1.Node{node("a", "False", false)}, nil, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := emptiest(test.nodes, test.volumes)
			if got != test.want || (test.want == "") != errors.Is(err, errNoNode) {
				t.Errorf("%q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func claim(phase v1.PersistentVolumeClaimPhase, want, have string) *v1.PersistentVolumeClaim {
	c := &v1.PersistentVolumeClaim{}
	c.Spec.Resources.Requests = v1.ResourceList{v1.ResourceStorage: resource.MustParse(want)}
	c.Status.Phase = phase
	c.Status.Capacity = v1.ResourceList{v1.ResourceStorage: resource.MustParse(have)}
	return c
}

func TestWantedSize(t *testing.T) {
	for _, test := range []struct {
		claim *v1.PersistentVolumeClaim
		grow  bool
	}{
		{claim(v1.ClaimBound, "2Gi", "1Gi"), true},
		{claim(v1.ClaimBound, "1Gi", "1024Mi"), false},
		{claim(v1.ClaimBound, "1Gi", "2Gi"), false},
		{claim(v1.ClaimPending, "2Gi", "0"), false},
	} {
		if _, grow := wantedSize(test.claim); grow != test.grow {
			t.Errorf("%v of %v: grow %v", test.claim.Status.Capacity, test.claim.Spec.Resources.Requests, grow)
		}
	}
}

func TestGrowthIsAnnouncedAndCompleted(t *testing.T) {
	size := resource.MustParse("2Gi")
	before := claim(v1.ClaimBound, "2Gi", "1Gi")
	before.Status.Conditions = []v1.PersistentVolumeClaimCondition{{Type: "Unused", Status: v1.ConditionFalse}}

	during := growing(growing(before, size), size) // as after a conflict
	if got := during.Status.AllocatedResourceStatuses[v1.ResourceStorage]; got != v1.PersistentVolumeClaimControllerResizeInProgress {
		t.Errorf("status of the growth %q", got)
	}
	if len(during.Status.Conditions) != 2 || during.Status.Conditions[1].Type != v1.PersistentVolumeClaimResizing {
		t.Errorf("conditions %+v: want the old one and Resizing", during.Status.Conditions)
	}
	if have := during.Status.Capacity[v1.ResourceStorage]; have.String() != "1Gi" {
		t.Errorf("capacity %s before the growth is done", &have)
	}

	after := grown(during, size)
	if have := after.Status.Capacity[v1.ResourceStorage]; have.Cmp(size) != 0 {
		t.Errorf("capacity %s, want %s", &have, &size)
	}
	if len(after.Status.AllocatedResourceStatuses) != 0 || len(after.Status.Conditions) != 1 {
		t.Errorf("left over: %+v", after.Status)
	}
	if len(before.Status.Conditions) != 1 {
		t.Error("the cached claim was changed")
	}
}
