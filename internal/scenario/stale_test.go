package scenario

import (
	"testing"

	"github.com/valkey-operator/valkey-operator/internal/topology"
)

// staleConf is a nodes.conf from before a failover: the server says that it is still the
// primary, and learns better from the others.
func staleConf(t *testing.T) {
	f := NewFleet(simulation(1, versions[2]), 3, 1)
	f.context = t.Context()
	f.Settle(t, All)
	old := f.nodes["c-0-0"].server.(simulated).Disk()
	f.strike(Crash, f.nodes["c-0-0"])
	f.Settle(t, All)
	n := f.nodes["c-0-0"]
	if f.role(n) != topology.RoleReplica {
		t.Fatal("no failover")
	}
	n.server.Stop()
	s := n.server.(simulated)
	s.SetDisk(s.Disk().WithConfOf(old))
	f.Settle(t, All)
}
