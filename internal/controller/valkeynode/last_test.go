package valkeynode

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/watch"
)

// A server that lost its identity takes nobody's place before it is somebody's
// replica, so that it stays known who it was (N11).
func TestLastServer(t *testing.T) {
	before := &v1alpha1.LastServer{NodeID: "old", PodUID: "uid-0", Machine: "m0"}
	now := func(id string) *v1alpha1.LastServer {
		return &v1alpha1.LastServer{NodeID: id, PodUID: "uid-1", Machine: "m1"}
	}
	source := watch.Endpoint{Host: "10.0.0.2", Port: "6379"}
	for name, c := range map[string]struct {
		server *watch.Observation
		before *v1alpha1.LastServer
		want   *v1alpha1.LastServer
	}{
		"does not answer":       {nil, before, before},
		"not in a cluster":      {&watch.Observation{Role: valkey.Primary}, before, before},
		"another primary":       {&watch.Observation{NodeID: "new", Role: valkey.Primary}, before, now("new")},
		"another replica":       {&watch.Observation{NodeID: "new", Role: valkey.Replica, Primary: source}, before, now("new")},
		"replica of nobody":     {&watch.Observation{NodeID: "new", Role: valkey.Replica}, before, before},
		"the same, of nobody":   {&watch.Observation{NodeID: "old", Role: valkey.Replica}, before, now("old")},
		"first one, of nobody":  {&watch.Observation{NodeID: "new", Role: valkey.Replica}, nil, now("new")},
		"the same in a new pod": {&watch.Observation{NodeID: "old", Role: valkey.Primary}, before, now("old")},
	} {
		t.Run(name, func(t *testing.T) {
			s := &seen{
				node:   &v1alpha1.ValkeyNode{Status: v1alpha1.ValkeyNodeStatus{LastServer: c.before}},
				pod:    &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "uid-1"}, Spec: corev1.PodSpec{NodeName: "m1"}},
				server: c.server,
			}
			if diff := cmp.Diff(c.want, s.lastServer()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
