// Command bench measures how long the operator needs for what users wait for,
// and what a writing client notices of it, each next to a floor: what the same
// machines need for the same pods or servers without any operator. It runs
// against the cluster that KUBECONFIG names, in which the operator is installed
// from dist/install.yaml; `make bench` sets both up. See docs/performance.md.
//
// Times on shared machines are noise. What is to be compared is the ratio of
// two numbers of one run.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"

	"github.com/valkey-operator/valkey-operator/internal/podtest"
)

// options are what whoever runs the measurements chooses.
type options struct {
	runs    int
	rows    string
	waits   string
	load    bool
	killing bool
}

func main() {
	var o options
	flag.IntVar(&o.runs, "runs", 5, "runs of each row")
	flag.StringVar(&o.rows, "rows", strings.Join(names(), ","), "which rows, and in which order")
	flag.StringVar(&o.waits, "waits", "0,1", "how many replicas a write waits for; each row that writes is measured for each")
	flag.BoolVar(&o.load, "load", true, "keep one core busy with writes of 1 to 10 KiB beside the client that is watched")
	flag.BoolVar(&o.killing, "kill-operator", false, "kill the operator 2 s after each time that it begins to lead; of the rows that this makes sense for")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	broken, err := bench(ctx, o)
	for _, b := range broken {
		fmt.Println("BROKEN", b)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
	if err != nil || len(broken) > 0 {
		stop()
		os.Exit(1)
	}
}

// bench measures everything, then prints everything.
func bench(ctx context.Context, o options) (broken []string, err error) {
	chosen, err := choose(o)
	if err != nil {
		return nil, err
	}
	kube, err := podtest.Connect("valkey-operator-bench")
	if err != nil {
		return nil, err
	}
	b := &bed{Kube: kube, runs: o.runs, load: o.load, killing: o.killing, alone: map[int][]outcome{}}
	if err := b.prepare(ctx); err != nil {
		return nil, err
	}
	var results []result
	for _, c := range chosen {
		if ctx.Err() != nil {
			break
		}
		results = append(results, b.measure(ctx, c.row, c.wait)...)
	}
	fmt.Printf("The floor of pods, each of six:\n\n%s\n%s\n", barePods, table(results))
	for _, r := range results {
		broken = append(broken, r.broken()...)
	}
	return broken, ctx.Err()
}

// choice is a row, and how many replicas its client waits for.
type choice struct {
	row  row
	wait int
}

func choose(o options) ([]choice, error) {
	waits, err := parseWaits(o.waits)
	if err != nil {
		return nil, err
	}
	var chosen []choice
	for name := range strings.SplitSeq(o.rows, ",") {
		i := slices.IndexFunc(rows, func(r row) bool { return r.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no row %q; there are %s", name, strings.Join(names(), ", "))
		}
		r := rows[i]
		if o.killing && !r.operatorKilled {
			continue
		}
		if len(r.waits) == 0 {
			chosen = append(chosen, choice{r, -1})
		}
		for _, wait := range r.waits {
			if slices.Contains(waits, wait) {
				chosen = append(chosen, choice{r, wait})
			}
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("nothing is left to measure of the rows %s", o.rows)
	}
	return chosen, nil
}

func parseWaits(text string) ([]int, error) {
	var waits []int
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("-waits %q: want numbers of replicas", text)
		}
		waits = append(waits, n)
	}
	return waits, nil
}

func names() []string {
	var names []string
	for _, r := range rows {
		names = append(names, r.name)
	}
	return names
}
