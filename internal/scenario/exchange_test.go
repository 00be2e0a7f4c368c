package scenario

import (
	"fmt"
	"testing"
	"time"
)

// exchangedAddresses: the servers of two clusters come back, each at the
// address of one of the other cluster. Neither takes the other's in (N8).
func exchangedAddresses(t *testing.T) {
	for _, version := range versions {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			world := simulation(2, version)
			a, b := NewFleet(world, 3, 1), NewFleet(world, 3, 1)
			settleBoth(t, a, b)
			for _, f := range []*Fleet{a, b} {
				f.strikeAll(DeleteAll)
			}
			for _, name := range a.names() {
				x, y := a.nodes[name].server.(simulated), b.nodes[name].server.(simulated)
				ip := x.Addr().Addr()
				x.MoveTo(y.Addr().Addr())
				y.MoveTo(ip)
				a.nodes[name].stay, b.nodes[name].stay = true, true
			}
			settleBoth(t, a, b)
		})
	}
}

func settleBoth(t *testing.T, a, b *Fleet) {
	t.Helper()
	for range 1200 {
		done := true
		for _, f := range []*Fleet{a, b} {
			plan, health := f.Pass(t.Context(), All)
			done = done && plan.Done() && health.Whole() && f.Goal(t.Context()) == nil
			f.reconcileNodes()
			f.now += 100 * time.Millisecond
		}
		if done {
			break
		}
		a.ground.Pass(100 * time.Millisecond)
	}
	for _, f := range []*Fleet{a, b} {
		if problems := append(f.violations, f.Goal(t.Context())...); problems != nil {
			t.Fatalf("a cluster ends with:%s\n%+v", list(problems), f.Plan(f.Want, f.Observe(t.Context())))
		}
	}
}
