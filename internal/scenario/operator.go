package scenario

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/topology"
)

// operator is one of the operators that may be at work at the same time. What
// it carries out may be long out of date, and it may die between any two
// actions (A2).
type operator struct {
	// steady is an operator that carries out every plan at once and never dies.
	steady bool
	todo   []topology.Action
}

// operatorsOf returns that many operators at odds, or a single steady one.
func operatorsOf(n int) []operator {
	if n == 0 {
		return []operator{{steady: true}}
	}
	return make([]operator, n)
}

func (o *operator) step(ctx context.Context, f *Fleet, chance *rand.Rand) {
	if o.steady {
		for _, action := range f.Plan(f.Want, f.Observe(ctx)).Actions {
			f.carryOut(ctx, action)
		}
		return
	}
	if len(o.todo) == 0 {
		if chance.IntN(3) > 0 {
			o.todo = f.Plan(f.Want, f.Observe(ctx)).Actions
		}
		return
	}
	for range 1 + chance.IntN(len(o.todo)) {
		f.carryOut(ctx, o.todo[0])
		o.todo = o.todo[1:]
	}
	if chance.IntN(10) == 0 {
		o.todo = nil
	}
}

// live lets d go by while operators and clients work.
func (f *Fleet) live(ctx context.Context, operators []operator, chance *rand.Rand, d time.Duration) {
	for end := f.now + d; f.now < end; {
		for i := range operators {
			operators[i].step(ctx, f, chance)
		}
		f.load.write(ctx, f)
		f.Time(time.Duration(20+chance.IntN(200)) * time.Millisecond)
		f.load.confirm(f)
	}
}
