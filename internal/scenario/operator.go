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
	todo []topology.Action
}

func (o *operator) step(ctx context.Context, f *Fleet, chance *rand.Rand) {
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
