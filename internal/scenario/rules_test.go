package scenario

import (
	"iter"
	"maps"
	"slices"
	"testing"

	"github.com/valkey-operator/valkey-operator/internal/topology"
)

// storiesPerRule is how many random stories are told without a rule before those
// of the named situations are.
const storiesPerRule = 150

// suite is random stories, and then those of the named situations.
func suite() iter.Seq[Story] {
	return func(yield func(Story) bool) {
		for i := range storiesPerRule {
			if !yield(stories.Example(i)) {
				return
			}
		}
		for _, name := range slices.Sorted(maps.Keys(situations)) {
			for _, s := range situations[name].stories {
				s.Version = versions[2]
				if !yield(s) {
					return
				}
			}
		}
	}
}

// Without any one rule some story ends badly, and it is the goal or an
// invariant that says so.
func TestEveryRuleIsNeeded(t *testing.T) {
	for _, rule := range topology.Rules() {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			without := func(want topology.Desired, seen topology.Observed) topology.Plan {
				return topology.NextWithout(rule, want, seen)
			}
			count := 0
			for s := range suite() {
				if problems := s.Tell(t.Context(), without); problems != nil {
					t.Logf("story %d: %v ends with:%s", count, s, list(problems))
					return
				}
				count++
			}
			t.Errorf("%d stories end well without rule %s", count, rule)
		})
	}
}
