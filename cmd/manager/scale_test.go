package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/apitest"
	"github.com/valkey-operator/valkey-operator/internal/podsim"
)

func TestMain(m *testing.M) {
	if podsim.IsChild() {
		podsim.Child()
		return
	}
	apitest.Main(m)
}

// The size of the test, for whoever runs it by hand.
const (
	scaleVariable = "SCALE" // how many clusters
	quietVariable = "QUIET" // for how long nothing shall happen
)

const (
	shards   = 3
	replicas = 1
	// namespaces that the clusters are spread over.
	namespaces = 10
)

// fleet is many clusters under one operator.
type fleet struct {
	*testing.T
	api      *apitest.API
	pods     *podsim.Pods
	requests *requests
	names    []client.ObjectKey
}

// TestManyClusters runs the whole operator over 200 clusters, with a real API
// server and simulated pods that answer on real sockets: it forms them, is
// quiet once they are Ready (A3), and is not slowed down for the others when
// some of them are in trouble (A5).
func TestManyClusters(t *testing.T) {
	f := newFleet(t)
	t.Run("form", func(t *testing.T) { f.in(t).form() })
	if t.Failed() {
		return
	}
	t.Run("quiet", func(t *testing.T) { f.in(t).quiet() })
	t.Run("sick", func(t *testing.T) { f.in(t).sick() })
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	f := &fleet{T: t, api: apitest.Start(t), requests: &requests{counts: map[string]int{}}}
	f.pods = podsim.Start(t, f.api.Config)
	var in []string
	for range namespaces {
		in = append(in, f.api.Namespace(t))
	}
	for i := range number(t, scaleVariable, 48) {
		f.names = append(f.names, client.ObjectKey{Namespace: in[i%namespaces], Name: fmt.Sprintf("c-%d", i)})
	}
	f.run(in[0])
	return f
}

func number(t *testing.T, variable string, usually int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return usually
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

func (f *fleet) in(t *testing.T) *fleet {
	sub := *f
	sub.T = t
	return &sub
}

// run runs the operator until the test ends.
func (f *fleet) run(leaseNamespace string) {
	f.Helper()
	ctrl.SetLogger(logr.Discard())
	cfg := rest.CopyConfig(f.api.Config)
	configure(cfg)
	cfg.Wrap(f.requests.wrap)
	o := options{elect: true, electIn: leaseNamespace, metrics: "0", health: "0", lease: 8 * time.Second, renew: 6 * time.Second, retry: time.Second}
	mgr, err := newManager(cfg, o)
	if err != nil {
		f.Fatal(err)
	}
	if err := addControllers(mgr, o); err != nil {
		f.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	f.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			f.Errorf("the operator: %v", err)
		}
	})
}

// form creates all clusters at once and waits until they are Ready.
func (f *fleet) form() {
	start := time.Now()
	for _, name := range f.names {
		f.api.Create(f.T, &v1alpha1.ValkeyCluster{
			ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name},
			Spec:       v1alpha1.ValkeyClusterSpec{Shards: shards, Replicas: replicas},
		})
	}
	f.printf("%d clusters of %d×%d created after %v", len(f.names), shards, replicas, since(start))
	deadline := start.Add(time.Duration(len(f.names)) * 5 * time.Second)
	for printed := 0; ; time.Sleep(time.Second) {
		ready, why := f.ready()
		if ready == len(f.names) {
			break
		}
		if time.Now().After(deadline) {
			f.Fatalf("%d of %d are Ready after %v; %s", ready, len(f.names), since(start), why)
		}
		if ready-printed >= len(f.names)/4 {
			printed = ready
			f.printf("  %d Ready after %v", ready, since(start))
		}
	}
	counts := f.pods.Counts(f.T)
	f.printf("all %d Ready after %v", len(f.names), since(start))
	f.printf("  API requests: %v", f.requests.take())
	f.printf("  Valkey commands: %v", byCount(counts.Commands))
	f.printf("  CPU: operator %d s, %s", int(cpuTime().Seconds()), othersCPU())
	f.printf("  %s", memory())
}

// ready counts the clusters that are Ready, and says what another one waits for.
func (f *fleet) ready() (int, string) {
	f.Helper()
	ready, why := 0, ""
	for _, c := range f.clusters() {
		if c.Status.State == v1alpha1.StateReady {
			ready++
			continue
		}
		why = fmt.Sprintf("%s is %s: %s", c.Name, c.Status.State, c.Status.Message)
	}
	return ready, why
}

func (f *fleet) clusters() map[client.ObjectKey]v1alpha1.ValkeyCluster {
	f.Helper()
	var list v1alpha1.ValkeyClusterList
	if err := f.api.Client.List(f.Context(), &list); err != nil {
		f.Fatal(err)
	}
	clusters := map[client.ObjectKey]v1alpha1.ValkeyCluster{}
	for _, c := range list.Items {
		clusters[client.ObjectKeyFromObject(&c)] = c
	}
	return clusters
}

// quiet: nothing is written but the lease, and each server is asked less than
// once a second.
func (f *fleet) quiet() {
	// What was begun is ended first: statuses, one pass of each cluster, and
	// events, which are tried again after ten seconds.
	for f.requests.take().writes() > 0 {
		time.Sleep(12 * time.Second)
	}
	length := time.Duration(number(f.T, quietVariable, 30)) * time.Second
	before, cpu, start := f.pods.Counts(f.T), cpuTime(), time.Now()
	time.Sleep(length)
	after, took, written := f.pods.Counts(f.T), time.Since(start), f.requests.take()
	if n := written.writes(); n > 0 {
		f.Errorf("%d writes in %v although nothing happens (A3): %v", n, took, written)
	}
	total, most := 0, 0
	for name, c := range after.Clusters {
		for pod, n := range c.Servers {
			n -= before.Clusters[name].Servers[pod]
			total, most = total+n, max(most, n)
		}
	}
	// A pass more or less at the ends makes a difference for a single server.
	servers := len(f.names) * shards * (1 + replicas)
	const pass = 4
	perSecond := float64(total) / took.Seconds() / float64(servers)
	if perSecond > 1 || float64(most) > took.Seconds()+pass {
		f.Errorf("%.2f commands for each server and second, most of one server %d in %v", perSecond, most, took)
	}
	f.printf("quiet for %v", took.Round(time.Second))
	f.printf("  API requests: %v", written)
	f.printf("  Valkey commands: %.2f for each server and second, at most %d to one", perSecond, most)
	f.printf("  CPU of the operator: %.0f %% of a core", 100*float64(cpuTime()-cpu)/float64(took))
	f.printf("  %s", memory())
	f.printf("  connections to each server: %.1f", f.connections(after))
	profile(f.T)
}

func (f *fleet) connections(counts podsim.Counts) float64 {
	n := 0
	for _, c := range counts.Clusters {
		n += c.Connections
	}
	return float64(n) / float64(len(f.names)*shards*(1+replicas))
}

// printf prints at once, also when the test passes.
func (f *fleet) printf(format string, args ...any) {
	fmt.Printf("%s: %s\n", f.Name(), fmt.Sprintf(format, args...))
}

func since(t time.Time) time.Duration { return time.Since(t).Round(100 * time.Millisecond) }

func byCount(counts map[string]int) string {
	total := 0
	var parts []string
	for _, name := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return counts[b] - counts[a] }) {
		total += counts[name]
		parts = append(parts, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return fmt.Sprintf("%d (%s)", total, strings.Join(parts, ", "))
}

// profile writes what fills the heap where PROFILE says, for whoever looks into
// it.
func profile(t *testing.T) {
	dir := os.Getenv("PROFILE")
	if dir == "" {
		return
	}
	file, err := os.Create(filepath.Join(dir, "heap.pprof"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := pprof.WriteHeapProfile(file); err != nil {
		t.Fatal(err)
	}
}
