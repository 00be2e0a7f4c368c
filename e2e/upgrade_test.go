package e2e

import (
	"strings"
	"testing"
)

func persistentOn(version string) string {
	return manifest("c", 3, 1, "  persistence: {size: 1Gi}\n  image: valkey/valkey:"+version)
}

// A cluster is brought from version to version by its image, under writes, and
// none of them fails or is lost.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.mustApply(persistentOn("8.0"))
	e.awaitReady("c")
	ids := e.ids("c")
	p := e.startProbe("c", 0)
	for _, version := range []string{"8.1", "9.1"} {
		e.mustApply(persistentOn(version))
		e.awaitReady("c")
		for name, pod := range e.pods("c") {
			if info := e.ask("c", pod.Status.PodIP, "INFO", "server"); !strings.Contains(info, "valkey_version:"+version) {
				t.Errorf("%s does not run %s", name, version)
			}
		}
	}
	e.finish(p, false)
	if after := e.ids("c"); !equal(ids, after) {
		t.Errorf("node IDs changed from %v to %v", ids, after)
	}
}

// An older version cannot read what a newer one has saved. Going back works all
// the same, one pod after the other: a replica puts aside what it cannot load and
// gets everything from its primary (A4).
func TestDowngrade(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.mustApply(persistentOn("9.1"))
	e.awaitReady("c")
	p := e.startProbe("c", 0)
	e.mustApply(persistentOn("8.0"))
	e.awaitReady("c")
	for name, pod := range e.pods("c") {
		if info := e.ask("c", pod.Status.PodIP, "INFO", "server"); !strings.Contains(info, "valkey_version:8.0") {
			t.Errorf("%s does not run 8.0", name)
		}
	}
	e.finish(p, false)
}

// With no replica there is nobody to get the data from: the older server's own
// words are told, nothing is lost, and going forward again is always possible.
func TestDowngradeOfTheOnlyCopyIsTakenBack(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	only := func(version string) string {
		return manifest("c", 1, 0, "  persistence: {size: 1Gi}\n  image: valkey/valkey:"+version)
	}
	e.mustApply(only("9.1"))
	e.awaitReady("c")
	e.write("c", 100)
	e.mustApply(only("8.0"))
	e.eventually("the cluster says that the older server cannot load the data", func() error {
		if s := e.cluster("c").Status; !strings.Contains(s.Message, "Wrong signature") {
			return errorf("%s, %s: %s", s.State, s.Reason, s.Message)
		}
		return nil
	})
	e.mustApply(only("9.1"))
	e.awaitReady("c")
	e.read("c", 100)
}
