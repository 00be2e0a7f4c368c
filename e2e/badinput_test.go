package e2e

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// What can be refused at admission is refused, with a sentence.
func TestRefusedAtAdmission(t *testing.T) {
	cases := []struct{ name, manifest, says string }{
		{"no shards", manifest("c", 0, 1, ""), "should be greater than or equal to 1"},
		{"too many shards", manifest("c", 501, 0, ""), "should be less than or equal to 500"},
		{"negative replicas", manifest("c", 3, -1, ""), "should be greater than or equal to 0"},
		{"long name", manifest(strings.Repeat("a", 39), 3, 1, ""), "at most 38 characters"},
		{"name with a dot", manifest("a.b", 3, 1, ""), "lower-case letters, digits and dashes"},
		{"persistent Deployment", manifest("c", 3, 1, "  workloadType: Deployment\n  persistence: {size: 1Gi}"), "persistence requires workloadType StatefulSet"},
		{"size of nothing", manifest("c", 3, 1, "  persistence: {size: 0}"), "size must be more than 0"},
		{"negative size", manifest("c", 3, 1, "  persistence: {size: -1Gi}"), "size must be more than 0"},
		{"class that is no name", manifest("c", 3, 1, "  persistence: {size: 1Gi, storageClassName: Not A Class}"), "storageClassName is the name of a StorageClass"},
		{"image that is no name", manifest("c", 3, 1, "  image: 'valkey/valkey 9.1'"), "image is the name of a container image"},
		{"no size", manifest("c", 3, 1, "  persistence: {}"), "size"},
		{"unknown field", manifest("c", 3, 1, "  shrads: 4"), "shrads"},
	}
	e := newEnv(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			err := e.apply(c.manifest)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("apply says %v, want %q in it", err, c.says)
			}
		})
	}
}

// What cannot be done to an existing cluster is refused, and nothing happens to
// it.
func TestRefusedChanges(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.mustApply(manifest("c", 2, 1, "  persistence: {size: 1Gi, storageClassName: gp3}"))
	e.awaitReady("c")
	e.mustApply(manifest("d", 1, 0, "  workloadType: Deployment"))
	cases := []struct{ name, manifest, says string }{
		{"volumes for Deployments", manifest("d", 1, 0, "  workloadType: Deployment\n  persistence: {size: 1Gi}"), "make a new cluster with volumes"},
		{"shards", manifest("c", 3, 1, "  persistence: {size: 1Gi, storageClassName: gp3}"), "shards cannot be changed"},
		{"replicas", manifest("c", 2, 2, "  persistence: {size: 1Gi, storageClassName: gp3}"), "replicas cannot be changed"},
		{"workload", manifest("c", 2, 1, "  workloadType: Deployment"), "workloadType cannot be changed"},
		{"storage class", manifest("c", 2, 1, "  persistence: {size: 1Gi, storageClassName: standard}"), "storageClassName cannot be changed"},
		{"no persistence", manifest("c", 2, 1, ""), "persistence cannot be removed"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if err := e.apply(c.manifest); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("apply says %v, want %q in it", err, c.says)
			}
		})
	}
	t.Run("deletion of a node", func(t *testing.T) {
		const says = "ValkeyNode c-0-0 belongs to ValkeyCluster c, which decides when its nodes may go"
		if err := e.Delete(e.ctx(), e.node("c-0-0")); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("delete says %v, want %q in it", err, says)
		}
	})
	e.awaitReady("c")
}

// What only shows later becomes a condition that names the object, and keeps
// no other cluster waiting.
func TestReportedInStatus(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, more string
		before     func(*env)
		reason     string
		says       []string
	}{
		{
			name: "storage class that does not exist", more: "  persistence: {size: 1Gi, storageClassName: nowhere}",
			reason: v1alpha1.ReasonStorageClass, says: []string{"nowhere"},
		},
		{
			name: "image that cannot be pulled", more: "  image: valkey/valkey:no-such-tag",
			reason: v1alpha1.ReasonImagePull, says: []string{"valkey/valkey:no-such-tag", "bad-0-"},
		},
		{
			name: "pod that fits nowhere", more: "  resources: {requests: {memory: 9Ti}}",
			reason: v1alpha1.ReasonUnschedulable, says: []string{"nsufficient memory", "bad-0-"},
		},
		{
			name: "request above its limit", more: "  resources: {requests: {memory: 2Gi}, limits: {memory: 1Gi}}",
			reason: v1alpha1.ReasonRefused, says: []string{"must be less than or equal to memory limit", "bad-0-"},
		},
		{
			name: "image that nobody can parse", more: "  image: valkey/Valkey:::9.1",
			reason: v1alpha1.ReasonImagePull, says: []string{"valkey/Valkey:::9.1", "bad-0-"},
		},
		{
			name: "object in the way", reason: v1alpha1.ReasonNameConflict, says: []string{"Service valkey-bad-client"},
			before: func(e *env) {
				e.must(e.Create(e.ctx(), &corev1.Service{
					ObjectMeta: metav1.ObjectMeta{Name: "valkey-bad-client", Namespace: e.Name},
					Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}},
				}))
			},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e := newEnv(t)
			if c.before != nil {
				c.before(e)
			}
			e.mustApply(manifest("bad", 1, 1, c.more))
			e.eventually("the cluster says what is wrong", func() error {
				s := e.cluster("bad").Status
				for _, says := range c.says {
					if !strings.Contains(s.Message, says) {
						return errorf("%s, %s: %s", s.State, s.Reason, s.Message)
					}
				}
				if s.Reason != c.reason {
					return errorf("reason %s, want %s", s.Reason, c.reason)
				}
				return nil
			})
			e.mustApply(manifest("good", 1, 0, ""))
			e.awaitReady("good")
		})
	}
}
