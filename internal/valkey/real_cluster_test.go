package valkey_test

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/slots"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/valkeytest"
)

func TestRealCluster(t *testing.T) {
	valkeytest.Each(t, func(t *testing.T, bin valkeytest.Binary) {
		c := form(t, bin, 7)
		t.Run("observation", func(t *testing.T) { observeFormed(t, bin, c) })
		t.Run("key slots", func(t *testing.T) { compareKeySlots(t, c.conns[0]) })
		t.Run("refusals", func(t *testing.T) { provoke(t, c) })
		t.Run("failover", func(t *testing.T) { failOver(t, c) })
		t.Run("migration", func(t *testing.T) { migrate(t, bin, c) })
		t.Run("crash", func(t *testing.T) { crash(t, c) })
	})
}

func observeFormed(t *testing.T, bin valkeytest.Binary, c cluster) {
	must(t, c.conns[0].Do(t.Context(), valkey.Cmd("SET", "b", "x"))[0].Err()) // slot 3300
	for i := range 6 {
		o, err := valkey.Observe(t.Context(), c.conns[i])
		must(t, err)
		self := o.Self()
		role, primary, owned := valkey.Primary, valkey.NodeID(""), slots.Set{}
		if i < 3 {
			owned = slots.Partition(3)[i]
		} else {
			role, primary = valkey.Replica, c.ids[i-3]
		}
		if o.ID() != c.ids[i] || self.Role() != role || o.Replication.Role != role || self.Primary != primary || !self.Slots.Equal(owned) {
			t.Errorf("node %d sees itself as %v", i, self)
		}
		if self.Addr != c.servers[i].Addr() || self.BusPort != c.servers[i].BusPort() {
			t.Errorf("node %d is at %v, %d", i, self.Addr, self.BusPort)
		}
		version := strconv.Itoa(o.Server.Version.Major) + "." + strconv.Itoa(o.Server.Version.Minor)
		if version != bin.Version || o.NodeTimeout != 2*time.Second || o.Memory.Used == 0 || o.Persistence.Loading {
			t.Errorf("node %d: %+v", i, o)
		}
		if o.Cluster.SlotsOK != slots.Total || o.Cluster.Size != 3 || o.Cluster.KnownNodes != 6 || o.Cluster.MyEpoch != uint64(i%3+1) {
			t.Errorf("node %d: %+v", i, o.Cluster)
		}
		source := o.Replication.Source
		if role == valkey.Replica && (source.Addr != c.servers[i-3].Addr() || source.Down != 0) {
			t.Errorf("node %d replicates %+v", i, source)
		}
		if role == valkey.Primary && o.Replication.Replicas[0].Addr != c.servers[i+3].Addr() {
			t.Errorf("node %d has replica %+v", i, o.Replication.Replicas[0])
		}
	}
	eventually(t, func() error {
		o, err := valkey.Observe(t.Context(), c.conns[3])
		if err == nil && o.Keys != 1 {
			err = errors.New("key not replicated")
		}
		return err
	})
}

func compareKeySlots(t *testing.T, conn valkey.Conn) {
	for _, key := range []string{"", "foo", "{user1000}.following", "foo{}{bar}", "foo{{bar}}zap", "{bar", "foo{bar}{zap}", "\xff\x00binary", "}{", "{}{a}", "a{b}c}d"} {
		n, err := conn.Do(t.Context(), valkey.Cmd("CLUSTER", "KEYSLOT", key))[0].Int()
		must(t, err)
		if got := slots.KeySlot(key); int64(got) != n {
			t.Errorf("KeySlot(%q) = %d, the server says %d", key, got, n)
		}
	}
}

// provoke makes servers refuse in every way that act will meet.
func provoke(t *testing.T, c cluster) {
	ctx, primary, replica, alone := t.Context(), c.conns[0], c.conns[3], c.conns[6]
	stranger := c.ids[6]
	raw := func(conn valkey.Conn, args ...string) error { return conn.Do(ctx, valkey.Cmd(args...))[0].Err() }

	want(t, valkey.Replicate(ctx, primary, c.ids[0]), valkey.ErrMyself)
	want(t, valkey.Replicate(ctx, primary, c.ids[1]), valkey.ErrNotEmpty)
	want(t, valkey.Replicate(ctx, c.conns[4], c.ids[3]), valkey.ErrNotPrimary)
	want(t, valkey.Replicate(ctx, alone, c.ids[1]), valkey.ErrUnknownNode)
	want(t, valkey.Forget(ctx, primary, c.ids[0]), valkey.ErrMyself)
	want(t, valkey.Forget(ctx, replica, c.ids[0]), valkey.ErrOwnPrimary)
	must(t, valkey.Forget(ctx, primary, stranger)) // unknown is forgotten
	want(t, valkey.Reset(ctx, primary, valkey.ResetHard), valkey.ErrNotEmpty)
	want(t, valkey.SetConfigEpoch(ctx, primary, 77), valkey.ErrNotAlone)
	must(t, valkey.SetConfigEpoch(ctx, primary, 1))
	must(t, valkey.SetConfigEpoch(ctx, alone, 7))
	must(t, valkey.SetConfigEpoch(ctx, alone, 7))
	want(t, valkey.SetConfigEpoch(ctx, alone, 8), valkey.ErrEpochSet)
	want(t, valkey.Failover(ctx, primary, valkey.FailoverSafe), valkey.ErrNotReplica)
	want(t, valkey.AddSlots(ctx, replica, slots.All()), valkey.ErrBusySlot)
	must(t, valkey.DelSlots(ctx, alone, slots.All()))
	must(t, valkey.AddSlots(ctx, alone, slots.All().First(9)))
	must(t, valkey.AddSlots(ctx, alone, slots.All().First(20)))
	must(t, valkey.DelSlots(ctx, alone, slots.All()))
	want(t, raw(replica, "CLUSTER", "SETSLOT", "1", "STABLE"), valkey.ErrNotPrimary)
	want(t, raw(primary, "FLY", "secret"), valkey.ErrUnknownCommand)
	want(t, raw(primary, "CLUSTER", "FLY"), valkey.ErrUnknownCommand)
	want(t, raw(alone, "SET", "b", "x"), valkey.ErrClusterDown)

	var refused *valkey.ServerError
	if err := valkey.ACLLoad(ctx, primary); !errors.As(err, &refused) {
		t.Errorf("ACL LOAD without a file: %v", err)
	}
	for name, test := range map[string]struct {
		values  map[string]string
		problem valkey.ConfigProblem
	}{
		"nope":      {map[string]string{"maxmemory": "1gb", "nope": "1"}, valkey.ConfigUnknown},
		"databases": {map[string]string{"maxmemory": "1gb", "databases": "1"}, valkey.ConfigImmutable},
		"dir":       {map[string]string{"maxmemory": "1gb", "dir": "/"}, valkey.ConfigProtected},
		"maxmemory": {map[string]string{"maxmemory": "lots", "hz": "20"}, valkey.ConfigInvalid},
	} {
		var problem *valkey.ConfigError
		err := valkey.ConfigSet(ctx, primary, test.values)
		if !errors.As(err, &problem) || problem.Parameter != name || problem.Problem != test.problem || problem.Words == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	values, err := valkey.ConfigGet(ctx, primary, "maxmemory", "hz", "nope")
	must(t, err)
	if values["maxmemory"] != "0" || values["hz"] != "10" || len(values) != 2 {
		t.Errorf("after refused changes: %v", values)
	}
	must(t, valkey.ConfigSet(ctx, primary, map[string]string{"maxmemory": "1gb", "hz": "20"}))
	values, err = valkey.ConfigGet(ctx, primary, "maxmemory", "hz")
	must(t, err)
	if values["maxmemory"] != strconv.Itoa(1<<30) || values["hz"] != "20" {
		t.Errorf("after a change: %v", values)
	}
}

// failOver makes 3 the primary of the first shard, and 0 again.
func failOver(t *testing.T, c cluster) {
	ctx := t.Context()
	must(t, valkey.Failover(ctx, c.conns[3], valkey.FailoverSafe))
	eventually(t, func() error { return c.hasRole(ctx, 3, valkey.Primary) })
	eventually(t, func() error { return c.healthy(ctx, 0) })
	must(t, c.hasRole(ctx, 0, valkey.Replica))
}

// migrate moves slots from 1 to 2, where servers can do that by themselves.
func migrate(t *testing.T, bin valkeytest.Binary, c cluster) {
	ctx := t.Context()
	some := slots.Of(slots.Range{First: 6000, Last: 6099}, slots.Range{First: 6200, Last: 6299})
	move := valkey.Move{Slots: some, Target: c.ids[2]}
	if bin.Version == "8.0" || bin.Version == "8.1" {
		want(t, valkey.MigrateSlots(ctx, c.conns[1], move), valkey.ErrUnknownCommand)
		_, err := valkey.MigrationsOf(ctx, c.conns[1])
		want(t, err, valkey.ErrUnknownCommand)
		return
	}
	must(t, valkey.CancelMigrations(ctx, c.conns[1])) // none running
	want(t, valkey.MigrateSlots(ctx, c.conns[4], move), valkey.ErrNotPrimary)
	want(t, valkey.MigrateSlots(ctx, c.conns[1], valkey.Move{Slots: some, Target: c.ids[6]}), valkey.ErrUnknownNode)
	must(t, valkey.MigrateSlots(ctx, c.conns[1], move))
	eventually(t, func() error {
		o, err := valkey.Observe(ctx, c.conns[2])
		if err == nil && !some.Minus(o.Self().Slots).IsEmpty() {
			err = errors.New("slots have not arrived")
		}
		return err
	})
	for i, operation := range map[int]valkey.MigrationOperation{1: valkey.Export, 2: valkey.Import} {
		eventually(t, func() error {
			jobs, err := valkey.MigrationsOf(ctx, c.conns[i])
			if err == nil && (len(jobs) != 1 || !jobs[0].Succeeded() || jobs[0].Operation != operation || !jobs[0].Slots.Equal(some) ||
				jobs[0].Source != c.ids[1] || jobs[0].Target != c.ids[2]) {
				err = errors.New("jobs are not as expected")
			}
			return err
		})
	}
}

// A replica of a primary that never wrote has everything, and one that was never
// in sync nothing, whatever their offsets are.
func TestRealReplicasHoldData(t *testing.T) {
	valkeytest.Each(t, func(t *testing.T, bin valkeytest.Binary) {
		t.Parallel()
		c, ctx := form(t, bin, 7), t.Context()
		held := func(i int) (bool, int64) {
			r, err := valkey.ReplicationOf(ctx, c.conns[i])
			must(t, err)
			return r.Source.HoldsData(), r.Source.Offset
		}
		// Whoever asks for all data now has to wait.
		must(t, valkey.ConfigSet(ctx, c.conns[0], map[string]string{"repl-diskless-sync-delay": "600"}))
		must(t, valkey.Meet(ctx, c.conns[6], c.servers[0].Addr(), c.servers[0].BusPort()))
		eventually(t, func() error { return valkey.Replicate(ctx, c.conns[6], c.ids[0]) })
		eventually(t, func() error {
			r, err := valkey.ReplicationOf(ctx, c.conns[0])
			if err == nil && len(r.Replicas) != 2 {
				err = errors.New("nobody waits for data")
			}
			return err
		})
		c.servers[0].Kill()
		eventually(t, func() error {
			r, err := valkey.ReplicationOf(ctx, c.conns[3])
			if err == nil && r.Source.Up {
				err = errors.New("the link is still up")
			}
			return err
		})
		if holds, offset := held(3); !holds {
			t.Errorf("a replica that was in sync, at offset %d, is said to have nothing", offset)
		}
		if holds, offset := held(6); holds || offset != valkey.NoOffset {
			t.Errorf("one that never was, at offset %d, is said to have data: %t", offset, holds)
		}
	})
}

// crash kills the primary of the last shard and gives it to its replica.
func crash(t *testing.T, c cluster) {
	ctx := t.Context()
	held, err := valkey.TCP{}.Hold(ctx, c.servers[2].Target())
	must(t, err)
	c.servers[2].Kill()
	want(t, held.Wait(ctx, patience), valkey.ErrClosed)
	verdict, err := valkey.TCP{}.Probe(ctx, c.servers[2].Target())
	if verdict != valkey.Refused {
		t.Errorf("dead server: %s, %v", verdict, err)
	}
	eventually(t, func() error {
		replication, err := valkey.ReplicationOf(ctx, c.conns[5])
		if err == nil && replication.Source.Up {
			err = errors.New("replica has not noticed")
		}
		return err
	})
	want(t, c.conns[2].Do(ctx, valkey.Cmd("PING"))[0].Err(), valkey.ErrClosed)
	must(t, valkey.Failover(ctx, c.conns[5], valkey.FailoverForce))
	eventually(t, func() error { return c.hasRole(ctx, 5, valkey.Primary) })

	// The dead one is forgotten everywhere, and twice.
	for i, conn := range c.conns[:6] {
		if i == 2 {
			continue
		}
		eventually(t, func() error { return valkey.Forget(ctx, conn, c.ids[2]) })
		must(t, valkey.Forget(ctx, conn, c.ids[2]))
		o, err := valkey.Observe(ctx, conn)
		must(t, err)
		if _, known := o.Nodes.Find(c.ids[2]); known {
			t.Errorf("node %d still knows the forgotten one", i)
		}
	}
	// An emptied replica can be reset to start over.
	must(t, valkey.Reset(ctx, c.conns[6], valkey.ResetHard))
	id, err := valkey.MyID(ctx, c.conns[6])
	must(t, err)
	if id == c.ids[6] {
		t.Error("a hard reset kept the node ID")
	}
}
