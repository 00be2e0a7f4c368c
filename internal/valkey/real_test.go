package valkey_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/slots"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/valkeytest"
)

// patience is how long a real server may take for anything on a busy machine.
const patience = time.Minute

// eventually tries until it works; what it is waiting for is in the error.
func eventually(t *testing.T, try func() error) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("still after %v: %v", patience, err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("error %v, want %v", err, target)
	}
}

// cluster is three primaries 0, 1, 2 with replicas 3, 4, 5.
type cluster struct {
	servers []*valkeytest.Server
	conns   []valkey.Conn
	ids     []valkey.NodeID
}

// start starts servers that know nothing of each other.
func start(t *testing.T, bin valkeytest.Binary, n int) cluster {
	t.Helper()
	c := cluster{servers: valkeytest.Start(t, bin, n, valkeytest.Options{})}
	for _, s := range c.servers {
		conn := s.Conn(t)
		id, err := valkey.MyID(t.Context(), conn)
		must(t, err)
		c.conns, c.ids = append(c.conns, conn), append(c.ids, id)
	}
	return c
}

// form makes a cluster of the first six, every step twice: that it was done
// already must not matter.
func form(t *testing.T, bin valkeytest.Binary, n int) cluster {
	t.Helper()
	c, ctx := start(t, bin, n), t.Context()
	for range 2 {
		// Also the replicas to be: two nodes at epoch 0 collide, and one moves
		// on to an epoch that is somebody's.
		for i := range 6 {
			must(t, valkey.SetConfigEpoch(ctx, c.conns[i], uint64(i+1)))
		}
		for i, part := range slots.Partition(3) {
			must(t, valkey.AddSlots(ctx, c.conns[i], part))
		}
	}
	for i := range 6 {
		for j := range 6 {
			if i != j {
				must(t, valkey.Meet(ctx, c.conns[i], c.servers[j].Addr(), c.servers[j].BusPort()))
			}
		}
	}
	for i := 3; i < 6; i++ {
		eventually(t, func() error { return valkey.Replicate(ctx, c.conns[i], c.ids[i-3]) })
		must(t, valkey.Replicate(ctx, c.conns[i], c.ids[i-3]))
	}
	for i := range 6 {
		eventually(t, func() error { return c.healthy(ctx, i) })
	}
	return c
}

// healthy is nil when node i sees the whole cluster well.
func (c cluster) healthy(ctx context.Context, i int) error {
	o, err := valkey.Observe(ctx, c.conns[i])
	switch {
	case err != nil:
		return err
	case !o.Cluster.OK:
		return errors.New("cluster state fail")
	case len(o.Nodes) != 6:
		return errors.New("not all nodes known")
	case o.Replication.Role == valkey.Replica && !o.Replication.Source.Up:
		return errors.New("replica's link down")
	case o.Replication.Role == valkey.Primary && len(o.Replication.Replicas) != 1:
		return errors.New("primary without replica")
	}
	for _, n := range o.Nodes {
		if !n.LinkUp || !n.IsMember() {
			return errors.New("link to a node down")
		}
	}
	return nil
}

// hasRole is nil when node i has that role.
func (c cluster) hasRole(ctx context.Context, i int, role valkey.Role) error {
	state, err := valkey.RoleOf(ctx, c.conns[i])
	if err != nil {
		return err
	}
	if state.Role != role {
		return errors.New("role is " + string(state.Role))
	}
	return nil
}
