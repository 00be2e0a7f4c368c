// Command bench measures how long the operator needs for what users wait for,
// each next to a floor: what the same machines need for the same pods without
// any operator. It runs against the cluster that KUBECONFIG names, with an
// operator of the API valkey.io/v1alpha1 installed; `make bench` sets both up.
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
	"text/tabwriter"
	"time"
)

// row is one thing that is measured, run after run in turn with its floor.
type row struct {
	name  string
	limit float64 // of the ratio of the medians
	floor func(context.Context, *bed) (time.Duration, error)
	run   func(context.Context, *bed) (time.Duration, error)
}

var rows = []row{
	{"apply to Ready, 3 shards × 1 replica, volumes", 1.5, barePodsReady, clusterReady},
	{"the same, beside servers that serve slots", 1.5, bareServersReady, clusterReady},
}

func main() {
	runs := flag.Int("runs", 5, "runs of each row")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := bench(ctx, *runs); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, runs int) error {
	b, err := newBed()
	if err != nil {
		return err
	}
	fmt.Printf("The floor of a formation, six bare pods:\n\n%s\n", barePods)
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "what\tfloor median\tworst\toperator median\tworst\tratio of medians\tlimit\t")
	for _, r := range rows {
		floor, measured, err := r.measure(ctx, b, runs)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%.2f\t%.2f\t\n", r.name,
			print(median(floor)), print(slices.Max(floor)), print(median(measured)), print(slices.Max(measured)),
			median(measured).Seconds()/median(floor).Seconds(), r.limit)
	}
	return out.Flush()
}

func (r row) measure(ctx context.Context, b *bed, runs int) (floor, measured []time.Duration, err error) {
	for i := range runs {
		f, err := r.floor(ctx, b)
		if err != nil {
			return nil, nil, fmt.Errorf("floor: %w", err)
		}
		m, err := r.run(ctx, b)
		if err != nil {
			return nil, nil, err
		}
		fmt.Fprintf(os.Stderr, "%s, run %d: floor %s, operator %s\n", r.name, i+1, print(f), print(m))
		floor, measured = append(floor, f), append(measured, m)
	}
	return floor, measured, nil
}

func median(of []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)/2]
}

func print(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }
