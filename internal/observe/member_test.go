package observe

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// Data is on a volume only if the pod that runs has it: a node that is given a
// volume keeps the pod without one until that is replaced (N2).
func TestVolumeIsThePods(t *testing.T) {
	n := &v1alpha1.ValkeyNode{}
	n.Name = "c-0-0"
	pod := func(claim string) corev1.Pod {
		p := corev1.Pod{}
		source := corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}
		if claim != "" {
			source = corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}
		}
		p.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: source}}
		return p
	}
	wanted := &v1alpha1.NodePersistence{PersistenceSpec: v1alpha1.PersistenceSpec{Size: resource.MustParse("1Gi")}}
	for _, test := range []struct {
		name        string
		persistence *v1alpha1.NodePersistence
		pods        []corev1.Pod
		want        bool
	}{
		{"none", nil, []corev1.Pod{pod("")}, false},
		{"there", wanted, []corev1.Pod{pod("valkey-c-0-0-data")}, true},
		{"added, and the pod is the old one", wanted, []corev1.Pod{pod("")}, false},
		{"another claim", wanted, []corev1.Pod{pod("certificates")}, false},
		{"no pod", wanted, nil, true},
	} {
		n.Spec.Persistence = test.persistence
		if m := member(n, map[string][]corev1.Pod{n.Name: test.pods}); m.Volume != test.want {
			t.Errorf("%s: %t", test.name, m.Volume)
		}
	}
}
