package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// row is one thing that is measured, run after run in turn with its floor.
type row struct {
	name, title string
	floor       func(context.Context, *bed) (time.Duration, error) // nil: there is none
	run         func(context.Context, *bed) (outcome, error)
	limits      limits
}

// limits are what a row should keep; zero is no limit.
type limits struct {
	ratio float64       // of the medians of time and floor
	took  time.Duration // of the worst time
	gap   time.Duration // of the longest gap
	// planned says that somebody wanted it to happen: no write may fail, and no
	// acknowledged one be lost. Without it only those may not be lost that a
	// replica had confirmed.
	planned bool
}

// outcome is what one run showed.
type outcome struct {
	took time.Duration
	// What writing clients noticed, if there were any.
	written bool
	gap     time.Duration
	failed  int
	lost    int // of the writes that no replica had to confirm
	unkept  int // confirmed by a replica, and lost all the same
}

func (o outcome) String() string {
	text := "took " + show(o.took)
	if o.written {
		text += fmt.Sprintf(", longest gap %s, %d writes failed, %d acknowledged and %d confirmed ones lost",
			show(o.gap), o.failed, o.lost, o.unkept)
	}
	return text
}

// result is all runs of a row.
type result struct {
	row
	floors   []time.Duration
	outcomes []outcome
	err      error
}

// measured runs a row. What was measured before an error counts.
func (r row) measured(ctx context.Context, b *bed, runs int) result {
	result := result{row: r}
	for i := range runs {
		if err := result.add(ctx, b); err != nil {
			result.err = fmt.Errorf("%s, run %d: %w", r.name, i+1, err)
			progress("%v", result.err)
			return result
		}
		progress("%s, run %d: %v", r.name, i+1, result.outcomes[i])
	}
	return result
}

func (r *result) add(ctx context.Context, b *bed) error {
	if r.floor != nil {
		floor, err := r.floor(ctx, b)
		if err != nil {
			return fmt.Errorf("floor: %w", err)
		}
		progress("%s: floor %s", r.name, show(floor))
		r.floors = append(r.floors, floor)
	}
	o, err := r.run(ctx, b)
	if err != nil {
		return err
	}
	r.outcomes = append(r.outcomes, o)
	return nil
}

// failure is what makes the whole measurement fail: an error, and the loss of a
// write that may not be lost. Limits of time are for a human to look at, since
// machines are noisy.
func (r result) failure() error {
	lost := 0
	for _, o := range r.outcomes {
		lost += o.unkept
		if r.limits.planned {
			lost += o.lost
		}
	}
	if lost == 0 {
		return r.err
	}
	return errors.Join(r.err, fmt.Errorf("%s: %d acknowledged writes are lost", r.name, lost))
}
