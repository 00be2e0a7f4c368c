package scenario

import (
	_ "embed"
	"strings"
	"testing"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/topology"
)

// situationNames are the situations that docs/design/safety.md says must be
// handled, one a line.
//
//go:embed testdata/situations.txt
var situationNames string

// situation is one of them: stories of it that end well, or what is missing for
// that.
type situation struct {
	stories []Story
	test    func(*testing.T) // for what no single story can tell
	missing string           // what the project cannot do yet
}

// threeByOne is a cluster of the usual shape, to which the steps happen.
func threeByOne(steps ...Step) Story { return Story{Shards: 3, Replicas: 1, Steps: steps} }

// withAndWithout is s on volumes, and without.
func withAndWithout(s Story) []Story {
	without := s
	without.NoVolumes = true
	return []Story{s, without}
}

// interrupted is s under two operators that die between any two actions.
func interrupted(s Story) Story {
	s.Operators = 2
	return s
}

const settled = 20 * time.Second

var situations = map[string]situation{
	"pod crash, OOM kill and container restart in place": {stories: []Story{
		threeByOne(Step{Crash, 0, settled}),
		threeByOne(Step{Crash, 1, settled}),
		threeByOne(Step{Crash, 0, 3 * time.Second}, Step{Crash, 3, settled}),
		{Shards: 1, Replicas: 0, Steps: []Step{{SaveAll, 0, time.Second}, {Crash, 0, settled}}},
	}},
	"pod deletion": {stories: withAndWithout(threeByOne(
		Step{Delete, 0, settled}, Step{ForceDelete, 2, settled}, Step{Delete, 1, settled}))},
	"machine loss (pod stuck Terminating)": {stories: withAndWithout(threeByOne(
		Step{LoseMachine, 0, settled}, Step{LoseMachine, 3, settled}))},
	"all pods at once with new IPs, with and without volumes": {stories: append(append(
		withAndWithout(threeByOne(Step{DeleteAll, 0, settled})),
		withAndWithout(threeByOne(Step{SaveAll, 0, time.Second}, Step{KillAll, 0, settled}))...),
		Story{Shards: 1, Replicas: 2, Steps: []Step{{DeleteAll, 0, settled}}},
		Story{Shards: 2, Replicas: 0, Steps: []Step{{DeleteAll, 0, settled}}},
	)},
	"majority of primaries lost, with and without volumes": {stories: majorityLost()},
	"replica lagging or loading a big data set while a roll wants to go on": {stories: withAndWithout(threeByOne(
		Step{Lag, 1, time.Second}, Step{RollOut, 0, settled}, Step{Mend, 0, settled}))},
	"primary lost without a replica": {
		stories: givenUp(),
		missing: "slots of a lost shard are given up by themselves where nothing can hold a copy (N10)",
	},
	"operator killed at every step of bootstrap, scale-out, scale-in, roll, and failover": {
		stories: []Story{
			interrupted(threeByOne()),
			interrupted(threeByOne(Step{RollOut, 0, settled})),
			interrupted(threeByOne(Step{Crash, 0, settled})),
		},
		missing: "scale-out and scale-in",
	},
	"operator partitioned from some pods": {stories: []Story{
		threeByOne(Step{Blind, 0, settled}, Step{RollOut, 0, settled}, Step{Mend, 0, settled}),
		threeByOne(Step{Blind, 0, time.Second}, Step{Blind, 1, time.Second}, Step{Blind, 2, settled}),
	}},
	"primary partitioned from the rest": {stories: withAndWithout(threeByOne(
		Step{Isolate, 0, settled}, Step{Mend, 0, settled}))},
	"slot migration whose source, target, or both die": {missing: "slots do not move yet"},
	"migration that the server aborts":                 {missing: "slots do not move yet"},
	"nodes.conf stale, foreign, empty or truncated":    {stories: spoiledConfs(), test: confTests},
	"volume wiped": {stories: []Story{
		threeByOne(Step{Wipe, 0, settled}, Step{Wipe, 3, settled}),
		threeByOne(Step{Restore, 0, settled}),
	}},
	"volume full":                                   {missing: "the simulation's disks have no size"},
	"scale-in reverted half-way":                    {missing: "no scale-in yet"},
	"scale-in then scale-out onto retained volumes": {missing: "no scale-in yet"},
	"replicas reduced while the primary sits on the index to be removed": {missing: "no scale-in yet"},
	"template change together with scale":                                {missing: "no scale-in yet"},
	"config typo":                                                        {missing: "configuration is not observed by the planner"},
	"wrong image tag":                                                    {stories: badRolls()},
	"unschedulable pod":                                                  {stories: badRolls()},
	"wrong or rotated password":                                          {missing: "the simulation lets everybody in"},
	"expired or rotated certificate":                                     {missing: "the simulation has no TLS"},
	"ACL rule the server refuses":                                        {missing: "the simulation has no users"},
	"API server or etcd restarting":                                      {missing: "on real pods only"},
	"CRD older than the operator":                                        {missing: "with an API server only"},
	"two clusters in one namespace exchanging IPs":                       {test: exchangedAddresses},
	"namespace deleted with the operator down":                           {missing: "with an API server only"},
	"labels edited by hand":                                              {missing: "with an API server only"},
	"the ConfigMap, Secret, Service or claim edited or deleted by hand":  {missing: "with an API server only"},
}

// badRolls are templates with which no server starts, taken back.
func badRolls() []Story {
	return withAndWithout(threeByOne(Step{RollBad, 0, settled}, Step{RollOut, 0, settled}))
}

// givenUp are all copies of shards gone, and a human who says that he knows.
func givenUp() []Story {
	lost := func(replicas int, members ...int) Story {
		s := Story{Shards: 3, Replicas: replicas, NoVolumes: true}
		for _, m := range members {
			s.Steps = append(s.Steps, Step{LoseCopy, m, 100 * time.Millisecond})
		}
		s.Steps[len(members)-1].Wait = settled
		s.Steps = append(s.Steps, Step{AcceptLoss, 0, settled})
		return s
	}
	onVolumes := lost(0, 1)
	onVolumes.NoVolumes = false
	return []Story{
		lost(0, 1), lost(0, 0, 2), onVolumes, lost(1, 2, 3), interrupted(lost(0, 1)),
		{Shards: 3, Replicas: 0, NoVolumes: true, Steps: []Step{{AcceptAll, 0, 0}, {RollOut, 0, settled}}},
	}
}

// majorityLost are the machines of most primaries gone, of clusters of any
// number of shards, and in the end somebody who says so (N11).
func majorityLost() []Story {
	var all []Story
	for _, shards := range []int{1, 2, 3, 4} {
		for _, declared := range []time.Duration{100 * time.Millisecond, 8 * time.Second, settled} {
			all = append(all, withAndWithout(Story{Shards: shards, Replicas: 1, Steps: []Step{
				{LoseMajority, 0, declared}, {OutOfService, 0, settled},
			}})...)
		}
	}
	return append(all, interrupted(all[0]))
}

// seedsPerSituation is how many times each story is told.
const seedsPerSituation = 3

func TestSituations(t *testing.T) {
	names := strings.Split(strings.TrimSpace(situationNames), "\n")
	if len(situations) != len(names) {
		t.Errorf("%d situations, want %d", len(situations), len(names))
	}
	for _, name := range names {
		s, listed := situations[name]
		if !listed || s.stories == nil && s.test == nil && s.missing == "" {
			t.Errorf("nothing is said about situation %q", name)
			continue
		}
		if s.missing != "" {
			t.Logf("NOT HANDLED YET: %s: %s", name, s.missing)
		}
		t.Run(name, func(t *testing.T) {
			if s.stories == nil && s.test == nil {
				t.Skipf("NOT HANDLED YET: %s", s.missing)
			}
			t.Parallel()
			for _, story := range s.stories {
				tellOften(t, story)
			}
			if s.test != nil {
				s.test(t)
			}
		})
	}
}

// tellOften tells a story with several seeds on every version.
func tellOften(t *testing.T, s Story) {
	t.Helper()
	for _, version := range versions {
		for seed := range uint64(seedsPerSituation) {
			s.Version, s.Seed = version, seed+1
			if problems, chronicle := s.tell(t.Context(), topology.Next); problems != nil {
				t.Errorf("%v ends with:%s\n%s", s, list(problems), strings.Join(chronicle, "\n"))
				return
			}
		}
	}
}
