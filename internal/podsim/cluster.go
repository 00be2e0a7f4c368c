package podsim

import (
	"context"
	"hash/fnv"
	"maps"
	"sync"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/valkeysim"
)

// cluster is the servers of one cluster, in a world of their own whose time
// passes as ours does.
type cluster struct {
	world *valkeysim.World

	mu      sync.Mutex
	fault   Fault
	changed chan struct{} // closed when the fault changes
	counts  ClusterCounts
	names   map[string]int // commands by name
}

func newCluster(name string) *cluster {
	seed := fnv.New64a()
	seed.Write([]byte(name))
	return &cluster{
		world:   valkeysim.New(valkeysim.Options{Seed: seed.Sum64(), NodeTimeout: 2 * time.Second}),
		fault:   Healthy,
		changed: make(chan struct{}),
		counts:  ClusterCounts{Servers: map[string]int{}},
		names:   map[string]int{},
	}
}

// step is how much time passes at once.
const step = 50 * time.Millisecond

// live lets time pass until ctx ends.
func (c *cluster) live(ctx context.Context) {
	ticker := time.NewTicker(step)
	defer ticker.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			c.world.Advance(now.Sub(last))
			last = now
		}
	}
}

func (c *cluster) strike(f Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fault = f
	close(c.changed)
	c.changed = make(chan struct{})
}

// trouble returns what the cluster suffers, and what is closed when that changes.
func (c *cluster) trouble() (Fault, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fault, c.changed
}

// count notes a command that a server was sent.
func (c *cluster) count(pod, command string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts.Servers[pod]++
	c.names[command]++
	if command == "CLUSTER NODES" {
		c.counts.Passes++
	}
}

func (c *cluster) countGivenUp(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts.GivenUp += n
}

func (c *cluster) countConnections(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts.Connections += n
}

// addTo adds the cluster's counts to all.
func (c *cluster) addTo(all *Counts, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	own := c.counts
	own.Servers = maps.Clone(own.Servers)
	all.Clusters[name] = own
	for command, n := range c.names {
		all.Commands[command] += n
	}
}
