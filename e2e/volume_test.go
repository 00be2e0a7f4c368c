package e2e

import (
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// Volumes grow while the servers run: nothing is restarted, and the new room is
// there inside the pods. Where the class does not allow that, the cluster says
// so, and the old size may be set again.
func TestVolumesGrow(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.mustApply(manifest("c", 1, 1, "  persistence: {size: 64Mi, storageClassName: growable}"))
	e.mustApply(manifest("d", 1, 0, "  persistence: {size: 64Mi, storageClassName: fixed}"))
	e.awaitReady("c")
	e.awaitReady("d")
	e.write("c", 100)
	before := e.pods("c")

	e.mustApply(manifest("c", 1, 1, "  persistence: {size: 96Mi, storageClassName: growable}"))
	e.mustApply(manifest("d", 1, 0, "  persistence: {size: 96Mi, storageClassName: fixed}"))
	e.eventually("the volumes have grown", func() error {
		for name, pod := range e.pods("c") {
			if size := e.volumeSize(pod.Name); size < 96<<10 {
				return errorf("that of %s has %d KiB", name, size)
			}
		}
		return nil
	})
	e.awaitReady("c")
	size := meta.FindStatusCondition(e.cluster("c").Status.Conditions, v1alpha1.ConditionClaimSizeReady)
	if size == nil || size.Reason != v1alpha1.ReasonUpToDate {
		t.Errorf("the cluster says of its volumes: %+v", size)
	}
	for name, pod := range e.pods("c") {
		if pod.UID != before[name].UID || pod.Status.ContainerStatuses[0].RestartCount > 0 {
			t.Errorf("%s was restarted", name)
		}
	}
	e.read("c", 100)

	e.awaitSaid("d", "node d-0-0", "resize")
	e.mustApply(manifest("d", 1, 0, "  persistence: {size: 64Mi, storageClassName: fixed}"))
	e.awaitReady("d")
}

// volumeSize is the size of a pod's data volume in KiB.
func (e *env) volumeSize(pod string) int {
	e.t.Helper()
	out := strings.Fields(e.exec(pod, "server", "df -k /data | tail -n 1"))
	size, err := strconv.Atoi(out[1])
	e.must(err)
	return size
}

// A server whose volume is full takes no writes, and the cluster says why in the
// server's words. It stays manageable: the volume is given more room, and all
// goes on with every key.
func TestFullVolume(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.mustApply(manifest("c", 1, 1, "  persistence: {size: 32Mi, storageClassName: growable}"))
	e.awaitReady("c")
	e.write("c", 100)
	before := e.pods("c")
	_, primary := e.primary("c", 0)
	e.exec(primary.Name, "server", "dd if=/dev/zero of=/data/filler bs=1048576 2>/dev/null; valkey-cli BGSAVE")
	e.awaitSaid("c", "c-0-", "cannot save", "MISCONF")

	e.mustApply(manifest("c", 1, 1, "  persistence: {size: 64Mi, storageClassName: growable}"))
	e.eventually("the volume has grown", func() error {
		if size := e.volumeSize(primary.Name); size < 64<<10 {
			return errorf("it has %d KiB", size)
		}
		return nil
	})
	e.exec(primary.Name, "server", "valkey-cli BGSAVE") // what the server does by itself after more writes
	e.awaitReady("c")
	e.read("c", 100)
	e.write("c", 200)
	for name, pod := range e.pods("c") {
		if pod.UID != before[name].UID || pod.Status.ContainerStatuses[0].RestartCount > 0 {
			t.Errorf("%s was restarted", name)
		}
	}
}
