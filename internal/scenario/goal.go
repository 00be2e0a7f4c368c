package scenario

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/valkey-operator/valkey-operator/internal/slots"
	"github.com/valkey-operator/valkey-operator/internal/topology"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// Goal returns what is wrong with the cluster, nil when it is as it was asked
// for. It reads servers and pods itself and knows nothing of plans: a planner
// with a hole has nothing left to do and is far from here.
func (f *Fleet) Goal(ctx context.Context) []string {
	g := f.judge(ctx)
	return append(g.unmet, g.doubts...)
}

func (f *Fleet) judge(ctx context.Context) *goal {
	g := &goal{fleet: f, seen: map[topology.Name]valkey.Observation{}}
	g.pods()
	g.ask()
	if len(g.unmet) == 0 { // the rest only repeats it
		g.membership()
		g.ownership()
		g.replicas()
		g.settings()
	}
	if len(g.unmet) == 0 {
		g.unmet = append(g.unmet, f.load.missing(ctx, f)...)
	}
	return g
}

type goal struct {
	fleet *Fleet
	seen  map[topology.Name]valkey.Observation
	unmet []string
	// doubts and greetings of single servers have to pass before the goal is reached, but do
	// not make a lie of what the planner says meanwhile.
	doubts []string
}

func (g *goal) miss(format string, args ...any) {
	g.unmet = append(g.unmet, fmt.Sprintf(format, args...))
}

// pods: every wanted node and no other, each with a pod of the wanted template.
func (g *goal) pods() {
	for _, w := range g.fleet.Want.Members {
		n := g.fleet.nodes[w.Name]
		switch {
		case n == nil:
			g.miss("%s does not exist", w.Name)
		case n.deleting:
			g.miss("%s is still being deleted", w.Name)
		case n.pod == nil || n.pod.lost:
			g.miss("%s has no pod", w.Name)
		case n.pod.template != g.fleet.Want.Inputs:
			g.miss("the pod of %s is made from %s", w.Name, n.pod.template)
		}
	}
	if len(g.fleet.nodes) > len(g.fleet.Want.Members) {
		g.miss("%d nodes, want %d", len(g.fleet.nodes), len(g.fleet.Want.Members))
	}
}

func (g *goal) ask() {
	for _, w := range g.fleet.Want.Members {
		n := g.fleet.nodes[w.Name]
		if n == nil {
			continue
		}
		o, err := g.fleet.ask(n)
		if err != nil {
			g.miss("%s does not answer: %v", w.Name, err)
			continue
		}
		g.seen[w.Name] = o
	}
}

// membership: everybody knows everybody at the right address, and nobody else.
func (g *goal) membership() {
	for viewer, o := range g.seen {
		for name, peer := range g.seen {
			n, known := o.Nodes.Find(peer.ID())
			switch {
			case !known:
				g.miss("%s does not know %s", viewer, name)
			case name != viewer && n.Addr != g.fleet.nodes[name].server.Addr():
				g.miss("%s looks for %s at %v", viewer, name, n.Addr)
			case n.Role() != peer.Self().Role() || n.Primary != peer.Self().Primary:
				g.doubts = append(g.doubts, fmt.Sprintf("%s takes %s for a %s of %q", viewer, name, n.Role(), n.Primary))
			}
		}
		met := 0
		for _, n := range o.Nodes {
			if n.Flags&valkey.Handshake == 0 {
				met++
			}
			bad := n.Flags &^ (valkey.Myself | valkey.FlagPrimary | valkey.FlagReplica)
			switch says := fmt.Sprintf("%s says %v of %s", viewer, bad, n.ID); {
			case bad == valkey.PossiblyFailed, bad == valkey.Handshake:
				g.doubts = append(g.doubts, says)
			case bad != 0:
				g.unmet = append(g.unmet, says)
			}
		}
		if met > len(g.seen) {
			g.miss("%s knows %d servers, want %d", viewer, met, len(g.seen))
		}
	}
}

// ownership: all slots are owned once, in every view by the same primaries, one
// in each shard, and served.
func (g *goal) ownership() {
	for viewer, o := range g.seen {
		var owned slots.Set
		total := 0
		for _, w := range g.fleet.Want.Members {
			n, _ := o.Nodes.Find(g.seen[w.Name].ID())
			if own := g.seen[w.Name].Self().Slots; n.Role() == valkey.Primary && !n.Slots.Equal(own) {
				g.miss("%s attributes %v to %s, which owns %v", viewer, n.Slots, w.Name, own)
			}
			owned, total = owned.Union(n.Slots), total+n.Slots.Count()
		}
		if !owned.Equal(slots.All()) || total != slots.Total {
			g.miss("%s knows owners of %d slots, %d in all", viewer, owned.Count(), total)
		}
		if !o.Cluster.OK {
			g.miss("the cluster state of %s is not ok", viewer)
		}
	}
	for shard := range g.fleet.Want.Shards {
		if owners := g.primaries(shard); len(owners) != 1 || g.seen[owners[0]].Self().Slots.IsEmpty() {
			g.miss("the primaries of shard %d are %v", shard, owners)
		}
	}
}

func (g *goal) primaries(shard int) []topology.Name {
	var names []topology.Name
	for _, w := range g.fleet.Want.Members {
		if o, answers := g.seen[w.Name]; answers && w.Shard == shard && o.Self().Role() == valkey.Primary {
			names = append(names, w.Name)
		}
	}
	return names
}

// replicas: each is attached to its own shard's primary and has all its data.
func (g *goal) replicas() {
	for _, w := range g.fleet.Want.Members {
		o := g.seen[w.Name]
		owners := g.primaries(w.Shard)
		if o.Self().Role() == valkey.Primary || len(owners) != 1 {
			continue
		}
		primary := g.seen[owners[0]]
		source := o.Replication.Source
		switch {
		case o.Self().Primary != primary.ID():
			g.miss("%s replicates %s, not its shard's %s", w.Name, o.Self().Primary, owners[0])
		case !source.Up || source.Syncing:
			g.miss("the link of %s to its primary is down", w.Name)
		case o.Keys != primary.Keys:
			g.miss("%s has %d keys, its primary %d", w.Name, o.Keys, primary.Keys)
		}
	}
}

func (g *goal) settings() {
	for name, o := range g.seen {
		if o.NodeTimeout != g.fleet.Want.NodeTimeout {
			g.miss("cluster-node-timeout of %s is %v", name, o.NodeTimeout)
		}
		if o.Persistence.Loading {
			g.miss("%s is loading", name)
		}
	}
}

// list prints problems, one a line, always in the same order.
func list(problems []string) string {
	slices.Sort(problems)
	return "\n  " + strings.Join(problems, "\n  ")
}
