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

// An older version cannot read what a newer one has saved. Going back stops at
// the first pod, with the server's own words, while everything is served; going
// forward again is always possible (A4).
func TestDowngradeStopsAndCanBeTakenBack(t *testing.T) {
	e := newEnv(t)
	e.mustApply(persistentOn("9.1"))
	e.awaitReady("c")
	p := e.startProbe("c", 0)
	before := e.pods("c")
	e.mustApply(persistentOn("8.0"))
	e.eventually("the cluster says that the older server cannot load the data", func() error {
		if s := e.cluster("c").Status; !strings.Contains(s.Message, "Wrong signature trying to load DB from file") {
			return errorf("%s, %s: %s", s.State, s.Reason, s.Message)
		}
		return nil
	})
	touched := 0
	for name, pod := range e.pods("c") {
		if pod.UID != before[name].UID {
			touched++
		}
	}
	if touched != 1 {
		t.Errorf("%d pods were replaced, want one", touched)
	}
	e.mustApply(persistentOn("9.1"))
	e.awaitReady("c")
	e.finish(p, false)
}
