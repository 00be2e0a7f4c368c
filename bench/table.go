package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

const header = "what\truns\tfloor median\tworst\ttook median\tworst\tratio\tlongest gap median\tworst\tlimit\tfailed\tlost"

// table returns the results in one piece. What is above a limit has a mark.
func table(results []result) string {
	var text bytes.Buffer
	out := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, header)
	for _, r := range results {
		fmt.Fprintln(out, strings.Join(r.cells(), "\t"))
	}
	_ = out.Flush() // to memory
	return text.String()
}

func (r result) cells() []string {
	cells := []string{r.title, fmt.Sprint(len(r.outcomes))}
	cells = append(cells, medianAndWorst(r.floors, 0)...)
	cells = append(cells, medianAndWorst(r.each(func(o outcome) time.Duration { return o.took }), r.limits.took)...)
	cells = append(cells, r.ratio())
	if !r.written() {
		return append(cells, "-", "-", r.limits.String(), "-", "-")
	}
	cells = append(cells, medianAndWorst(r.each(func(o outcome) time.Duration { return o.gap }), r.limits.gap)...)
	return append(cells, r.limits.String(), r.failed(), r.lost())
}

func (r result) each(of func(outcome) time.Duration) []time.Duration {
	var all []time.Duration
	for _, o := range r.outcomes {
		all = append(all, of(o))
	}
	return all
}

func medianAndWorst(of []time.Duration, limit time.Duration) []string {
	if len(of) == 0 {
		return []string{"-", "-"}
	}
	worst := slices.Max(of)
	return []string{show(median(of)), show(worst) + mark(limit > 0 && worst > limit)}
}

func mark(broken bool) string {
	if broken {
		return "!"
	}
	return ""
}

func (r result) ratio() string {
	if len(r.floors) == 0 || len(r.outcomes) == 0 {
		return "-"
	}
	took := r.each(func(o outcome) time.Duration { return o.took })
	ratio := median(took).Seconds() / median(r.floors).Seconds()
	return fmt.Sprintf("%.2f", ratio) + mark(r.limits.ratio > 0 && ratio > r.limits.ratio)
}

func (r result) written() bool {
	return slices.ContainsFunc(r.outcomes, func(o outcome) bool { return o.written })
}

func (r result) failed() string {
	sum := 0
	for _, o := range r.outcomes {
		sum += o.failed
	}
	return fmt.Sprint(sum) + mark(r.limits.planned && sum > 0)
}

// lost tells of both clients: what was lost without and with a replica's
// confirmation.
func (r result) lost() string {
	lost, unkept := 0, 0
	for _, o := range r.outcomes {
		lost += o.lost
		unkept += o.unkept
	}
	return fmt.Sprintf("%d%s, confirmed %d%s", lost, mark(r.limits.planned && lost > 0), unkept, mark(unkept > 0))
}

func (l limits) String() string {
	var parts []string
	if l.ratio > 0 {
		parts = append(parts, fmt.Sprintf("ratio %.2f", l.ratio))
	}
	if l.took > 0 {
		parts = append(parts, "took "+show(l.took))
	}
	if l.gap > 0 {
		parts = append(parts, "gap "+show(l.gap))
	}
	return cmp.Or(strings.Join(parts, ", "), "-")
}

func median(of []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)/2]
}

// show prints milliseconds where they matter.
func show(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}
