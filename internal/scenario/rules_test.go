package scenario

import (
	"testing"

	"github.com/valkey-operator/valkey-operator/internal/topology"
)

// storiesPerRule is how many random stories are told without a rule before it
// counts as needless.
const storiesPerRule = 150

// Without any one rule some story ends badly, and it is the goal or an
// invariant that says so.
func TestEveryRuleIsNeeded(t *testing.T) {
	for _, rule := range topology.Rules() {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			without := func(want topology.Desired, seen topology.Observed) topology.Plan {
				return topology.NextWithout(rule, want, seen)
			}
			for i := range storiesPerRule {
				s := stories.Example(i)
				if problems := s.Tell(t.Context(), without); problems != nil {
					t.Logf("story %d: %v ends with:%s", i, s, list(problems))
					return
				}
			}
			t.Errorf("%d stories end well without rule %s", storiesPerRule, rule)
		})
	}
}
