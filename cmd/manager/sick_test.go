package main

import (
	"fmt"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/podsim"
)

// faultOf is what happens to the i-th cluster: of any twelve four hang, and one
// has another trouble.
func faultOf(i int) podsim.Fault {
	switch {
	case i%3 == 1:
		return podsim.Hang
	case i%12 == 2:
		return []podsim.Fault{podsim.Unready, podsim.Locked, podsim.Full, podsim.Slow}[i/12%4]
	}
	return podsim.Healthy
}

// shows is the status that a cluster in trouble gets. One that is slow or full
// of clients can still be asked, on the connections that are there.
var shows = map[podsim.Fault]struct {
	state v1alpha1.ClusterState
	words string
}{
	podsim.Healthy: {v1alpha1.StateReady, "healthy"},
	podsim.Full:    {v1alpha1.StateReady, "healthy"},
	podsim.Slow:    {v1alpha1.StateReady, "healthy"},
	podsim.Unready: {v1alpha1.StateReconciling, "not ready"},
	podsim.Locked:  {v1alpha1.StateDegraded, "refuses the operator's password"},
	podsim.Hang:    {v1alpha1.StateDegraded, "does not answer in time"},
}

// sick: some clusters are in trouble, more of them than a controller has
// workers, and the others go on as if nothing was (A5).
func (f *fleet) sick() {
	sick := map[podsim.Fault][]client.ObjectKey{}
	for i, name := range f.names {
		fault := faultOf(i)
		sick[fault] = append(sick[fault], name)
		if fault != podsim.Healthy {
			f.pods.Strike(f.T, name.String(), fault)
		}
	}
	for fault, names := range sick {
		f.await(names, shows[fault].state, shows[fault].words)
		f.printf("%d clusters are %s", len(names), fault)
	}
	f.compare(sick[podsim.Healthy], sick[podsim.Hang])
	for _, name := range f.names {
		f.pods.Strike(f.T, name.String(), podsim.Healthy)
	}
	f.await(f.names, v1alpha1.StateReady, "healthy")
}

// compare counts how many passes over healthy clusters, one after the other, are
// made before a client gives up waiting for a server that hangs: many, if nobody
// else waits for that.
func (f *fleet) compare(healthy, hanging []client.ObjectKey) {
	const passes, atLeast = 60, 20.0
	before, start := f.pods.Counts(f.T), time.Now()
	for i := range passes {
		f.poke(healthy[i%len(healthy)], fmt.Sprint(i))
	}
	took, after := time.Since(start), f.pods.Counts(f.T)
	givenUp := 0
	for _, name := range hanging {
		givenUp += after.Clusters[name.String()].GivenUp - before.Clusters[name.String()].GivenUp
	}
	perServer := float64(givenUp) / float64(len(hanging)*shards*(1+replicas))
	f.printf("%d passes over healthy clusters in %v, while each server that hangs was given up %.1f times", passes, took.Round(10*time.Millisecond), perServer)
	if perServer*atLeast > passes {
		f.Errorf("the others wait for the sick: only %.1f passes until a server is given up (A5)", passes/perServer)
	}
}

// poke has the operator look at a cluster, and waits until it has.
func (f *fleet) poke(name client.ObjectKey, with string) {
	f.Helper()
	seen := f.pods.Counts(f.T).Clusters[name.String()].Passes
	cluster := &v1alpha1.ValkeyCluster{}
	cluster.Name, cluster.Namespace = name.Name, name.Namespace
	patch := client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"metadata":{"annotations":{"poke":%q}}}`, with))
	if err := f.api.Client.Patch(f.Context(), cluster, patch); err != nil {
		f.Fatal(err)
	}
	servers := shards * (1 + replicas)
	for deadline := time.Now().Add(patience); f.pods.Counts(f.T).Clusters[name.String()].Passes < seen+servers; time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			f.Fatalf("no pass over %s within %v", name, patience)
		}
	}
}

// patience is how long anything may take on a busy machine.
const patience = 2 * time.Minute

// await waits until the clusters have the state, and a message with the words.
func (f *fleet) await(names []client.ObjectKey, state v1alpha1.ClusterState, words string) {
	f.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
		wrong := f.unlike(names, state, words)
		if wrong == "" {
			return
		}
		if time.Now().After(deadline) {
			f.Fatalf("%s; want %s and %q", wrong, state, words)
		}
	}
}

// unlike describes a cluster that is otherwise, or returns "".
func (f *fleet) unlike(names []client.ObjectKey, state v1alpha1.ClusterState, words string) string {
	f.Helper()
	clusters := f.clusters()
	for _, name := range names {
		if s := clusters[name].Status; s.State != state || !strings.Contains(s.Message, words) {
			return fmt.Sprintf("%s is %s: %s", name, s.State, s.Message)
		}
	}
	return ""
}
