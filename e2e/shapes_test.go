package e2e

import (
	"fmt"
	"testing"
)

// Shapes and versions that must become Ready.
func TestShapes(t *testing.T) {
	t.Parallel()
	shapes := []struct {
		name             string
		shards, replicas int
		more             string
	}{
		{"1x0", 1, 0, ""},
		{"1x1", 1, 1, ""},
		{"2x0", 2, 0, ""},
		{"5x2", 5, 2, ""},
		{"8.0", 3, 1, "  image: valkey/valkey:8.0"},
		{"8.1", 3, 1, "  image: valkey/valkey:8.1"},
		{"Deployment", 3, 1, "  workloadType: Deployment"},
	}
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			e := newEnv(t)
			e.mustApply(manifest("c", s.shards, s.replicas, s.more))
			e.awaitReady("c")
			e.write("c", 100)
			e.read("c", 100)
		})
	}
}

// Two clusters of one namespace, and two of the same name in two namespaces,
// are four clusters.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	a, b := newEnv(t), newEnv(t)
	for _, e := range []*env{a, b} {
		for _, name := range []string{"one", "two"} {
			e.mustApply(manifest(name, 2, 1, ""))
		}
	}
	for i, e := range []*env{a, b} {
		for j, name := range []string{"one", "two"} {
			e.awaitReady(name)
			e.write(name, 50*(1+i)*(1+j))
		}
	}
	for i, e := range []*env{a, b} {
		for j, name := range []string{"one", "two"} {
			c := e.awaitReady(name)
			total := 0
			for _, s := range c.Status.ShardStatuses {
				n := e.node(s.Primary)
				var size int
				if _, err := fmt.Sscan(e.ask(name, n.Status.PodIP, "EVAL", "return tostring(redis.call('dbsize'))", "0"), &size); err != nil {
					t.Fatal(err)
				}
				total += size
			}
			if want := 50 * (1 + i) * (1 + j); total != want {
				t.Errorf("%s/%s has %d keys, want %d", e.Name, name, total, want)
			}
		}
	}
}
