package scenario

import (
	"fmt"
	"testing"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/topology"
	"github.com/valkey-operator/valkey-operator/internal/valkeytest"
)

func TestForm(t *testing.T) {
	shapes := []struct{ shards, replicas int }{{1, 0}, {1, 1}, {2, 0}, {3, 1}, {5, 2}}
	valkeytest.Each(t, func(t *testing.T, bin valkeytest.Binary) {
		for _, s := range shapes {
			t.Run(fmt.Sprintf("%dx%d", s.shards, s.replicas), func(t *testing.T) {
				f := NewFleet(t, bin, s.shards, s.replicas)
				start := time.Now()
				f.Settle(t, All)
				t.Logf("whole after %v", time.Since(start).Round(time.Millisecond))
				if plan, health := f.Pass(t.Context(), t, All); !plan.Done() || !health.Whole() {
					t.Errorf("a whole cluster is not left alone: %+v", plan)
				}
			})
		}
	})
}

// An operator that dies after every single action leaves a cluster that the
// next one completes (A2, case 4).
func TestFormStepByStep(t *testing.T) {
	valkeytest.Each(t, func(t *testing.T, bin valkeytest.Binary) {
		f := NewFleet(t, bin, 3, 1)
		f.Settle(t, OnlyFirst)
		oneCluster(t, f)
	})
}

// oneCluster checks that all servers share one view of it.
func oneCluster(t *testing.T, f *Fleet) {
	t.Helper()
	seen := f.Observe(t.Context())
	var first *topology.View
	for _, m := range seen.Members {
		if m.Server == nil {
			t.Fatalf("%s: %s", m.Name, m.Unknown)
		}
		if first == nil {
			first = m.Server.View
		}
		if len(m.Server.View.Peers) != len(f.Want.Members) {
			t.Errorf("%s knows %d servers, want %d", m.Name, len(m.Server.View.Peers), len(f.Want.Members))
		}
	}
}
