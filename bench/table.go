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

// table returns the results in one piece.
func table(results []result) string {
	var text bytes.Buffer
	out := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "what\truns\tfloor median\tworst\tmeasured median\tworst\tratio\tlimit\tlongest gap\tfailed\tlost\tnotes")
	for _, r := range results {
		fmt.Fprintln(out, strings.Join(r.cells(), "\t"))
	}
	_ = out.Flush() // to memory
	return text.String()
}

func (r result) cells() []string {
	cells := []string{r.title, fmt.Sprint(len(r.outcomes))}
	cells = append(cells, medianAndWorst(r.floor)...)
	cells = append(cells, medianAndWorst(r.took())...)
	ratio := "-"
	if value := r.ratio(); value > 0 {
		ratio = fmt.Sprintf("%.2f", value)
	}
	cells = append(cells, ratio, r.limits.String())
	if !r.written() {
		return append(cells, "-", "-", "-", r.notes())
	}
	mayNot := map[bool]string{true: "", false: " (may)"}
	return append(cells, show(r.gap()),
		fmt.Sprint(r.failed())+mayNot[r.limits.failed || r.failed() == 0],
		fmt.Sprint(r.lost())+mayNot[r.limits.lost || r.lost() == 0], r.notes())
}

func medianAndWorst(of []time.Duration) []string {
	if len(of) == 0 {
		return []string{"-", "-"}
	}
	return []string{show(median(of)), show(slices.Max(of))}
}

func (l limits) String() string {
	var limits []string
	if l.ratio > 0 {
		limits = append(limits, fmt.Sprintf("%.2f×", l.ratio))
	}
	if l.took > 0 {
		limits = append(limits, show(l.took))
	}
	if l.gap > 0 {
		limits = append(limits, "gap "+show(l.gap))
	}
	return cmp.Or(strings.Join(limits, ", "), "-")
}

// notes are what the runs have to say beside figures, each once.
func (r result) notes() string {
	var notes []string
	add := func(format string, args ...any) {
		if note := fmt.Sprintf(format, args...); !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	for _, o := range r.outcomes {
		if o.lives != nil {
			add("led %d times, actions of each life %v", len(o.lives), o.lives)
		}
		if o.note != "" {
			add("%s", o.note)
		}
	}
	if len(r.errors) > 0 {
		add("%d runs FAILED, see below", len(r.errors))
	}
	return strings.Join(notes, "; ")
}

// show prints milliseconds where they matter.
func show(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}
