package scenario

import (
	"fmt"
	"slices"
	"testing"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/valkeytest"
)

// eachGround runs test on the simulation and on real servers of every version.
func eachGround(t *testing.T, test func(t *testing.T, ground func(t *testing.T) Ground)) {
	t.Run("simulation", func(t *testing.T) {
		test(t, func(*testing.T) Ground { return simulation(1, valkey.Version{}) })
	})
	valkeytest.Each(t, func(t *testing.T, bin valkeytest.Binary) {
		t.Parallel()
		test(t, func(t *testing.T) Ground { return Processes{T: t, Bin: bin} })
	})
}

func TestForm(t *testing.T) {
	shapes := []struct{ shards, replicas int }{{1, 0}, {1, 1}, {2, 0}, {3, 1}, {5, 2}}
	eachGround(t, func(t *testing.T, ground func(*testing.T) Ground) {
		for _, s := range shapes {
			t.Run(fmt.Sprintf("%dx%d", s.shards, s.replicas), func(t *testing.T) {
				f := NewFleet(ground(t), s.shards, s.replicas)
				f.Settle(t, All)
				t.Logf("whole after %v", f.now)
				f.checkEpochs(t)
				if plan, health := f.Pass(t.Context(), All); !plan.Done() || !health.Whole() {
					t.Errorf("a whole cluster is not left alone: %+v", plan)
				}
			})
		}
	})
}

// An operator that dies after every single action leaves a cluster that the
// next one completes (A2, case 4).
func TestFormStepByStep(t *testing.T) {
	eachGround(t, func(t *testing.T, ground func(*testing.T) Ground) {
		f := NewFleet(ground(t), 3, 1)
		f.Settle(t, OnlyFirst)
		f.checkEpochs(t)
	})
}

// checkEpochs tells a cluster whose servers had to settle equal epochs between
// them: the primaries do not have those any more that they were given, one after
// the other and above everybody else's.
func (f *Fleet) checkEpochs(t *testing.T) {
	t.Helper()
	var given []uint64
	for _, name := range f.names() {
		o, err := f.ask(f.nodes[name])
		if err != nil {
			t.Fatal(err)
		}
		if self := o.Self(); self.Role() == valkey.Primary {
			given = append(given, self.ConfigEpoch)
		}
	}
	slices.Sort(given)
	for i, epoch := range given {
		if epoch != given[0]+uint64(i) {
			t.Errorf("the primaries have epochs %d", given)
		}
	}
	for _, name := range f.names() {
		if o, err := f.ask(f.nodes[name]); err != nil || o.Cluster.CurrentEpoch != slices.Max(given) {
			t.Errorf("%s has heard of epoch %d (%v), and the primaries have %d", name, o.Cluster.CurrentEpoch, err, given)
		}
	}
}
