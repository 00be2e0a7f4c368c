package main

import (
	"context"
	"slices"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/probe"
)

// row is one thing that is measured, run after run in turn with its floor.
type row struct {
	name  string
	title string
	waits []int // how many replicas the writing client waits for; none if nobody writes
	floor func(context.Context, *stage) (time.Duration, error)
	run   func(context.Context, *stage) (outcome, error)
	// limits of what is measured by a client that waits for so many replicas,
	// for the kind of outcome that is named.
	limits func(wait int, kind string) limits
	// place says on which machine each node of the cluster is.
	place map[string]string
	// once has a cluster thrown away after one run.
	once bool
	// operatorKilled says that the row can be measured while the operator is
	// killed again and again.
	operatorKilled bool
}

// outcome is what one run showed.
type outcome struct {
	took    time.Duration // what the row measures
	written bool          // a client wrote, and the next three are of it
	probe   probe.Report
	lost    int
	load    probe.LoadReport
	// kind tells outcomes apart that must not be compared; most rows have one.
	kind string
	// wrong is what must not happen and did.
	wrong []string
	note  string
	lives []int // actions of each life of the operator, if it was killed
}

// limits are what a row must keep; zero is no limit.
type limits struct {
	ratio  float64       // of the medians
	took   time.Duration // of the worst
	gap    time.Duration // of the worst
	failed bool          // no write may fail
	lost   bool          // no acknowledged write may be lost
}

// result is a line of the table: all runs of a row that had one kind of outcome.
type result struct {
	title    string
	floor    []time.Duration
	outcomes []outcome
	errors   []error
	limits   limits
}

func (r result) took() []time.Duration {
	var took []time.Duration
	for _, o := range r.outcomes {
		took = append(took, o.took)
	}
	return took
}

func (r result) ratio() float64 {
	if len(r.floor) == 0 || len(r.outcomes) == 0 {
		return 0
	}
	return median(r.took()).Seconds() / median(r.floor).Seconds()
}

func (r result) gap() (longest time.Duration) {
	for _, o := range r.outcomes {
		longest = max(longest, o.probe.LongestGap)
	}
	return longest
}

func (r result) failed() (sum int) {
	for _, o := range r.outcomes {
		sum += o.probe.Failed
	}
	return sum
}

func (r result) lost() (sum int) {
	for _, o := range r.outcomes {
		sum += o.lost
	}
	return sum
}

func (r result) written() bool {
	return slices.ContainsFunc(r.outcomes, func(o outcome) bool { return o.written })
}

func median(of []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)/2]
}
