package main

import "time"

const (
	shortGap    = 200 * time.Millisecond
	failoverGap = 500 * time.Millisecond
)

// rows are all that is measured.
var rows = []row{
	{"form", "apply to Ready, beside bare pods", barePodsReady, clusterReady, limits{ratio: 1.5}},
	{"form-served", "apply to Ready, beside servers that serve slots", bareServersReady, clusterReady, limits{ratio: 1.5}},
	{"nothing", "nothing happens for ten seconds", nil, underLoad(nothing), limits{planned: true}},
	{"roll", "roll of all six pods", barePodsRestarted, underLoad(roll), limits{ratio: 1.6, gap: shortGap, planned: true}},
	{"delete", "graceful delete of a primary", nil, underLoad(deletePrimary), limits{gap: shortGap, planned: true}},
	{"kill", "kill -9 of a primary", nil, underLoad(killPrimary), limits{gap: failoverGap}},
	{"kill-alone", "the same, the operator stopped", nil, underLoad(killPrimaryAlone), limits{}},
	{"force-delete", "force delete of a primary", nil, underLoad(forceDeletePrimary), limits{gap: failoverGap}},
	{"drain", "drain of a primary's machine", nil, underLoad(drainMachine), limits{gap: shortGap, planned: true}},
	{"all-pods", "all pods deleted at once, to all slots served", barePodsReplaced, underLoad(deleteAllPods), limits{ratio: 1.5, took: 10 * time.Second}},
}
