package e2e

import (
	"strings"
	"testing"

	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/podtest"
)

// annotate sets one annotation of a cluster.
func (e *env) annotate(cluster, name, value string) {
	e.t.Helper()
	c := e.cluster(cluster)
	patch := client.MergeFrom(c.DeepCopy())
	c.Annotations = map[string]string{name: value}
	e.must(e.Patch(e.ctx(), c, patch))
}

// awaitSaid waits until the cluster is Failed with a message that has all these
// words, and returns the message.
func (e *env) awaitSaid(cluster string, words ...string) (message string) {
	e.t.Helper()
	e.eventually("the cluster says "+strings.Join(words, " and "), func() error {
		s := e.cluster(cluster).Status
		message = s.Message
		for _, w := range words {
			if s.State != v1alpha1.StateFailed || !strings.Contains(message, w) {
				return errorf("%s, %s: %s", s.State, s.Reason, s.Message)
			}
		}
		return nil
	})
	return message
}

// A shard whose only copy is gone stays visibly lost until a human gives it up
// with the annotation that the message spells out; the others keep their keys
// (N10). The word holds for this loss and no other.
func TestLossIsAccepted(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.mustApply(manifest("c", 3, 0, ""))
	e.awaitReady("c")
	_, lost := e.primary("c", 1)
	e.must(e.Delete(e.ctx(), &lost, &client.DeleteOptions{GracePeriodSeconds: ptr.To(int64(0))}))
	message := e.awaitSaid("c", "slots 5461-10922", "valkey.io/accept-data-loss=")
	e.annotate("c", v1alpha1.AnnotationAcceptDataLoss, "some of them")
	e.awaitSaid("c", "is not a slot number", "0-5460,10000")
	_, value, _ := strings.Cut(message, "valkey.io/accept-data-loss=")
	e.annotate("c", v1alpha1.AnnotationAcceptDataLoss, value)
	e.awaitReady("c")
	e.eventually("the annotation is removed", func() error {
		if value, given := e.cluster("c").Annotations[v1alpha1.AnnotationAcceptDataLoss]; given {
			return errorf("it is %q", value)
		}
		return nil
	})
	e.write("c", 100)
	e.read("c", 100)
}

// The only copy of keys, in a pod without a volume, is not rolled before its
// loss was accepted (N2).
func TestOnlyCopyIsRolledOnAHumansWord(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.mustApply(manifest("c", 1, 0, ""))
	e.awaitReady("c")
	e.write("c", 10)
	before := e.pods("c")["c-0-0"].UID
	e.mustApply(manifest("c", 1, 0, "  persistence: {size: 1Gi}"))
	e.awaitSaid("c", "only copy of 10 keys", "valkey.io/accept-data-loss=0-16383")
	if e.pods("c")["c-0-0"].UID != before {
		t.Fatal("the pod was replaced")
	}
	e.annotate("c", v1alpha1.AnnotationAcceptDataLoss, "0-16383")
	e.eventually("the pod is replaced", func() error {
		if e.pods("c")["c-0-0"].UID == before {
			return errorf("it is not")
		}
		return podtest.Ready(e.cluster("c"))
	})
	e.awaitReady("c")
}
