package scenario

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"sync"

	"github.com/valkey-operator/valkey-operator/internal/slots"
	"github.com/valkey-operator/valkey-operator/internal/topology"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

func (f *Fleet) violate(format string, args ...any) {
	f.violations = append(f.violations, fmt.Sprintf(format, args...))
}

// checkDisruption judges that a pod is taken away by decision (N2, N6).
func (f *Fleet) checkDisruption(n *node) {
	if !n.server.Running() {
		return
	}
	if f.role(n) == topology.RolePrimary && f.Replicas() > 0 && !f.owns(n).IsEmpty() {
		f.violate("N6: the pod of %s is taken away while it is primary", n.Name)
	}
	if f.Volumes && !n.deleting {
		return
	}
	for key, kept := range f.load.kept {
		if number(n.server.Value(key)) < kept || kept == 0 || f.Want.Accepted.Contains(slots.KeySlot(key)) {
			continue
		}
		if !slices.ContainsFunc(f.shardOf(key), func(o *node) bool {
			return o != n && number(o.server.Value(key)) >= kept
		}) {
			f.violate("N2: %s has the last copy of %s and is taken away", n.Name, key)
		}
	}
}

// checkCollisions judges that every server was given an epoch of its own before
// it met another.
func (f *Fleet) checkCollisions() {
	if world, simulated := f.ground.(Simulation); simulated && world.Collisions() > f.collisions {
		f.collisions = world.Collisions()
		f.violate("N8: two servers had the same configuration epoch")
	}
}

// recorder passes commands on and judges them. It stands between the engine and
// the ground.
type recorder struct {
	fleet *Fleet
	mu    sync.Mutex
}

func (r *recorder) Dial(ctx context.Context, t valkey.Target) (valkey.Conn, error) {
	c, err := r.fleet.ground.Dial(ctx, t)
	if err != nil {
		return nil, err
	}
	return judged{c, r, t}, nil
}

type judged struct {
	valkey.Conn
	recorder *recorder
	target   valkey.Target
}

func (j judged) Do(ctx context.Context, cmds ...valkey.Command) []valkey.Reply {
	for _, cmd := range cmds {
		j.recorder.judge(j.target, cmd)
	}
	return j.Conn.Do(ctx, cmds...)
}

// judge sees every command of the engine before the server does.
func (r *recorder) judge(at valkey.Target, cmd valkey.Command) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch f := r.fleet; cmd.String() {
	case "FLUSHALL", "FLUSHDB":
		f.violate("N4: %s was sent", cmd)
	case "CLUSTER FORGET":
		f.checkForget(valkey.NodeID(cmd.Args[2]))
	case "CLUSTER REPLICATE":
		f.checkReplicate(at)
	case "CLUSTER MEET":
		f.checkMeet(cmd.Args[2])
	case "CLUSTER FAILOVER":
		if len(cmd.Args) > 2 && cmd.Args[2] == string(valkey.FailoverTakeover) {
			f.checkTakeover(at.Addr)
		}
	}
}

// checkTakeover: only from a primary that has ended (N11).
func (f *Fleet) checkTakeover(heir netip.AddrPort) {
	for _, name := range f.names() {
		n := f.nodes[name]
		if n.server.Addr() != heir || !n.server.Running() {
			continue
		}
		o, err := f.ask(n)
		if err != nil {
			return
		}
		for _, other := range f.names() {
			if p := f.nodes[other]; p.server.Running() && f.idOf(p) == o.Self().Primary {
				f.violate("N11: %s is told to take over from %s, which runs", name, other)
			}
		}
	}
}

// checkForget: only servers that are gone for good (N5).
func (f *Fleet) checkForget(id valkey.NodeID) {
	for _, name := range f.names() {
		if n := f.nodes[name]; n.server.Running() && f.idOf(n) == id {
			f.violate("N5: %s is to be forgotten and its server runs", name)
		}
	}
}

// checkReplicate: a server that lost its identity may have data that nobody else
// has (N10).
func (f *Fleet) checkReplicate(target valkey.Target) {
	for _, name := range f.names() {
		n := f.nodes[name]
		if n.server.Addr() != target.Addr || !n.server.Running() || !f.isLost(n) {
			continue
		}
		for i := range loadKeys {
			key := loadKey(i)
			most := 0
			for _, other := range f.nodes {
				if other != n && other.server.Running() {
					most = max(most, number(other.server.Value(key)))
				}
			}
			if got := number(n.server.Value(key)); got > most {
				f.violate("N10: %s is made a replica and has %s of %d, others %d", name, key, got, most)
			}
		}
	}
}

// checkMeet: only servers of this cluster (N8).
func (f *Fleet) checkMeet(ip string) {
	for _, n := range f.nodes {
		if n.server.Addr().Addr().String() == ip {
			return
		}
	}
	f.violate("N8: a server is sent to %s, which is nobody of this cluster", ip)
}

func (f *Fleet) idOf(n *node) valkey.NodeID {
	o, err := f.ask(n)
	if err != nil {
		return ""
	}
	return o.ID()
}
