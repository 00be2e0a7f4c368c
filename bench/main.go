// Command bench measures how long the operator needs for what users wait for,
// next to a floor where there is one: what the same machines need for the same
// pods without any operator; and what writing clients notice of what happens to
// a cluster. It runs against the cluster that KUBECONFIG names, in which the
// operator is installed from dist/install.yaml; `make bench` sets both up.
//
// Times on shared machines are noise. What is to be compared is the ratio of
// two numbers of one run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/valkey-operator/valkey-operator/internal/podtest"
)

func main() {
	runs := flag.Int("runs", 5, "runs of each row")
	chosen := flag.String("rows", strings.Join(names(), ","), "which rows, and in which order")
	load := flag.Bool("load", true, "beside the client that is watched, keep one core busy with values of 1 to 10 KiB")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := bench(ctx, *chosen, *runs, *load); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, names string, runs int, load bool) error {
	chosen, err := choose(names)
	if err != nil {
		return err
	}
	kube, err := podtest.Connect("valkey-operator-bench")
	if err != nil {
		return err
	}
	b := &bed{kube, load}
	var results []result
	var failures error
	for _, r := range chosen {
		result := r.measured(ctx, b, runs)
		results = append(results, result)
		failures = errors.Join(failures, result.failure())
		if ctx.Err() != nil {
			break
		}
	}
	fmt.Printf("The floor of pods, each of six:\n\n%s\n%s", barePods, table(results))
	return failures
}

func choose(list string) ([]row, error) {
	var chosen []row
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(rows, func(r row) bool { return r.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no row %q; there are %s", name, strings.Join(names(), ", "))
		}
		chosen = append(chosen, rows[i])
	}
	return chosen, nil
}

func names() []string {
	var all []string
	for _, r := range rows {
		all = append(all, r.name)
	}
	return all
}
