package valkeysim

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/slots"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// Each test is a measurement of real servers, named by its section in
// docs/design/valkey-facts.md, repeated on simulated ones.

var versions = []valkey.Version{{Major: 8, Minor: 0, Patch: 1}, {Major: 8, Minor: 1, Patch: 1}, {Major: 9, Minor: 1, Patch: 2}}

// cluster is three primaries p and their replicas r, formed and in sync.
type cluster struct {
	*World
	t    *testing.T
	p, r [3]*Server
}

func each(t *testing.T, test func(c *cluster)) {
	for _, v := range versions {
		t.Run(v.String(), func(t *testing.T) { test(form(t, v)) })
	}
}

func form(t *testing.T, v valkey.Version) *cluster {
	c := &cluster{World: New(Options{Seed: 3, Version: v, NodeTimeout: 2 * time.Second}), t: t}
	for i, part := range slots.Partition(3) {
		c.p[i], c.r[i] = c.Add("p"), c.Add("r")
		c.p[i].Start()
		c.r[i].Start()
		c.must(valkey.SetConfigEpoch(t.Context(), c.conn(c.p[i]), uint64(i+1))) // 1 to 3
		c.must(valkey.AddSlots(t.Context(), c.conn(c.p[i]), part))
	}
	c.mesh()
	c.Advance(time.Second)
	for i := range c.p {
		c.must(valkey.Replicate(t.Context(), c.conn(c.r[i]), c.id(c.p[i])))
	}
	c.Advance(8 * time.Second)
	for i := range c.p {
		c.must(c.set(c.p[i], c.key(i)))
	}
	c.Advance(time.Second)
	return c
}

func (c *cluster) mesh() {
	for _, a := range c.all() {
		for _, b := range c.all() {
			if a != b {
				c.must(valkey.Meet(c.t.Context(), c.conn(a), b.Addr(), busPort))
			}
		}
	}
}

func (c *cluster) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *cluster) conn(s *Server) valkey.Conn {
	c.t.Helper()
	conn, err := c.Dial(c.t.Context(), valkey.Target{Addr: s.Addr()})
	c.must(err)
	return conn
}

func (c *cluster) observe(s *Server) valkey.Observation {
	c.t.Helper()
	o, err := valkey.Observe(context.Background(), c.conn(s))
	c.must(err)
	return o
}

func (c *cluster) id(s *Server) valkey.NodeID { return c.observe(s).ID() }

func (c *cluster) role(s *Server) valkey.Role { return c.observe(s).Self().Role() }

func (c *cluster) set(s *Server, key string) error {
	return c.conn(s).Do(c.t.Context(), valkey.Cmd("SET", key, "1"))[0].Err()
}

// key is one that the i-th shard was formed with.
func (c *cluster) key(i int) string {
	for n := 0; ; n++ {
		if key := string(rune('a'+n%26)) + string(rune('a'+n/26)); slots.Partition(3)[i].Contains(slots.KeySlot(key)) {
			return key
		}
	}
}

// within advances until what is true, and fails if that takes longer than most
// or less than least.
func (c *cluster) within(least, most time.Duration, what string, isTrue func() bool) {
	c.t.Helper()
	start := c.Now()
	for !isTrue() {
		if c.Now()-start > most {
			for _, s := range c.all() {
				if s.Running() {
					c.t.Logf("%v sees\n%v", s, c.observe(s).Nodes)
				}
			}
			c.t.Fatalf("%s: not within %v", what, most)
		}
		c.Advance(time.Millisecond)
	}
	if took := c.Now() - start; took < least {
		c.t.Errorf("%s: after %v, which is sooner than %v", what, took, least)
	}
}

// Servers that meet without epochs of their own settle equal ones between them;
// those that were given different ones have nothing to settle.
func TestEpochCollisions1(t *testing.T) {
	each(t, func(c *cluster) {
		if n := c.Collisions(); n == 0 {
			t.Error("three servers with epoch 0 met and none took another one")
		}
		before := c.Collisions()
		fresh := []*Server{c.Add("x"), c.Add("y"), c.Add("z")}
		for i, s := range fresh {
			s.Start()
			c.must(valkey.SetConfigEpoch(t.Context(), c.conn(s), uint64(10+i))) // 10 to 12
		}
		c.mesh()
		c.Advance(5 * time.Second)
		if n := c.Collisions(); n != before {
			t.Errorf("%d collisions of different epochs", n-before)
		}
	})
}

func TestAutomaticFailover2(t *testing.T) {
	each(t, func(c *cluster) {
		c.p[0].Kill()
		c.within(2*time.Second, 6*time.Second, "new primary", func() bool { return c.role(c.r[0]) == valkey.Primary })
		c.p[0].Start()
		c.within(0, time.Second, "old primary demoted", func() bool { return c.role(c.p[0]) == valkey.Replica })
	})
}

func TestManualFailover2(t *testing.T) {
	each(t, func(c *cluster) {
		c.must(valkey.Failover(t.Context(), c.conn(c.r[0]), valkey.FailoverSafe))
		c.within(0, 200*time.Millisecond, "new primary", func() bool { return c.role(c.r[0]) == valkey.Primary })
	})
}

func TestForceAfterKill2(t *testing.T) {
	each(t, func(c *cluster) {
		c.p[0].Kill()
		c.must(valkey.Failover(t.Context(), c.conn(c.r[0]), valkey.FailoverForce))
		c.within(0, 120*time.Millisecond, "new primary", func() bool { return c.role(c.r[0]) == valkey.Primary })
	})
}

// FORCE never checks data: it promotes a replica that never had any.
func TestForceWithoutData2(t *testing.T) {
	each(t, func(c *cluster) {
		fresh := c.Add("fresh")
		fresh.Start()
		fresh.Lag(time.Hour)
		c.must(valkey.Meet(t.Context(), c.conn(fresh), c.p[0].Addr(), busPort))
		c.Advance(3 * time.Second)
		c.must(valkey.Replicate(t.Context(), c.conn(fresh), c.id(c.p[0])))
		c.Advance(2 * time.Second)
		c.must(valkey.Failover(t.Context(), c.conn(fresh), valkey.FailoverForce))
		c.within(0, 200*time.Millisecond, "primary without data", func() bool { return c.role(fresh) == valkey.Primary })
		if o := c.observe(fresh); o.Keys != 0 || o.Self().Slots.IsEmpty() {
			t.Errorf("it has %d keys and slots %v", o.Keys, o.Self().Slots)
		}
	})
}

// 8.0 refuses a second vote about the same old primary for 2 × node timeout.
func TestRepeatLimit2(t *testing.T) {
	each(t, func(c *cluster) {
		a, b := c.p[0], c.r[0]
		for _, to := range []*Server{b, a} {
			c.must(valkey.Failover(t.Context(), c.conn(to), valkey.FailoverSafe))
			c.within(0, time.Second, "failover", func() bool { return c.role(to) == valkey.Primary })
			c.Advance(300 * time.Millisecond)
		}
		c.must(valkey.Failover(t.Context(), c.conn(b), valkey.FailoverSafe))
		c.Advance(time.Second)
		if limited := c.role(b) != valkey.Primary; limited != !b.version.AtLeast(8, 1) {
			t.Errorf("third failover refused: %t", limited)
		}
	})
}

// Votes that did not suffice are asked for again after 4 × node timeout on 8.0,
// and with the next FORCE on later versions.
func TestAskingAgain2(t *testing.T) {
	each(t, func(c *cluster) {
		c.p[0].Kill()
		c.p[1].Kill()
		c.must(valkey.Failover(t.Context(), c.conn(c.r[0]), valkey.FailoverForce))
		c.Advance(time.Second)
		c.p[1].Start()
		c.Advance(2500 * time.Millisecond)
		c.must(valkey.Failover(t.Context(), c.conn(c.r[0]), valkey.FailoverForce))
		least, most := time.Duration(0), 120*time.Millisecond
		if !c.r[0].version.AtLeast(8, 1) {
			least, most = 4*time.Second, 6*time.Second
		}
		c.within(least, most, "promoted", func() bool { return c.role(c.r[0]) == valkey.Primary })
	})
}

// What a replica says of how far it is: 0 or 1 may be everything or nothing.
func TestOffsets2(t *testing.T) {
	for _, v := range versions {
		c := &cluster{World: New(Options{Seed: 3, Version: v, NodeTimeout: 2 * time.Second}), t: t}
		primary, replica, fresh := c.Add("p"), c.Add("r"), c.Add("n")
		for _, s := range c.all() {
			s.Start()
		}
		c.must(valkey.AddSlots(t.Context(), c.conn(primary), slots.All()))
		fresh.Lag(time.Hour)
		c.mesh()
		c.Advance(time.Second)
		for _, s := range []*Server{replica, fresh} {
			c.must(valkey.Replicate(t.Context(), c.conn(s), c.id(primary)))
		}
		c.Advance(2 * time.Second)
		history := c.observe(primary).Replication.ReplID
		primary.Kill()
		c.Advance(100 * time.Millisecond)
		if r := c.observe(replica).Replication; !r.Source.HoldsData() || r.Source.Offset != 0 || r.ReplID != history {
			t.Errorf("%v: in sync with a primary that never wrote: %+v", v, r)
		}
		if r := c.observe(fresh).Replication; r.Source.HoldsData() || r.Source.Offset != valkey.NoOffset || r.ReplID == history {
			t.Errorf("%v: never in sync: %+v", v, r)
		}
		replica.Kill()
		replica.SetDisk(replica.Disk().WithoutData())
		replica.Start()
		if r := c.observe(replica).Replication; r.Source.HoldsData() || r.Source.Offset != 0 {
			t.Errorf("%v: restarted without data: %+v", v, r)
		}
	}
}

// A primary that restarts empty at its old address wipes its replica.
func TestEmptyRestartWipesReplica3(t *testing.T) {
	each(t, func(c *cluster) {
		c.p[0].Kill()
		c.p[0].SetDisk(c.p[0].Disk().WithoutData())
		c.p[0].Start()
		c.within(0, 2*time.Second, "replica wiped", func() bool { return c.observe(c.r[0]).Keys == 0 })
		if c.role(c.p[0]) != valkey.Primary {
			t.Error("it is not primary any more")
		}
	})
}

// The same after the election is safe.
func TestLateEmptyRestart3(t *testing.T) {
	each(t, func(c *cluster) {
		c.p[0].Kill()
		c.p[0].SetDisk(c.p[0].Disk().WithoutData())
		c.Advance(8 * time.Second)
		c.p[0].Start()
		c.within(0, 2*time.Second, "resynchronised", func() bool { return c.observe(c.p[0]).Replication.Source.Up })
		if c.observe(c.r[0]).Keys == 0 || c.observe(c.p[0]).Keys == 0 {
			t.Error("the key is gone")
		}
	})
}

func (c *cluster) move(servers ...*Server) {
	for _, s := range servers {
		s.Stop()
		s.Move()
	}
	for _, s := range servers {
		s.Start()
	}
}

func (c *cluster) allOK() bool {
	for _, s := range c.all() {
		o := c.observe(s)
		for _, n := range o.Nodes {
			if n.Flags.Has(valkey.Failed) || n.Flags.Has(valkey.PossiblyFailed) || n.Flags.Has(valkey.NoAddr) || n.Flags.Has(valkey.Handshake) {
				return false
			}
		}
		if !o.Cluster.OK || len(o.Nodes) != len(c.all()) {
			return false
		}
	}
	return true
}

func TestOneNewAddress4(t *testing.T) {
	each(t, func(c *cluster) {
		c.move(c.p[0])
		c.within(0, 4*time.Second, "healed alone", c.allOK)
		if c.role(c.p[0]) != valkey.Primary {
			t.Error("roles changed")
		}
	})
}

func TestAllNewAddresses4(t *testing.T) {
	each(t, func(c *cluster) {
		c.move(c.all()...)
		c.Advance(2 * time.Second)
		c.mesh()
		c.within(0, 5*time.Second, "healed by a full mesh", c.allOK)
		for i := range c.p {
			if c.role(c.p[i]) != valkey.Primary {
				t.Error("roles changed")
			}
		}
	})
}

func TestAllNewAddressesAlone4(t *testing.T) {
	each(t, func(c *cluster) {
		c.move(c.all()...)
		c.Advance(30 * time.Second)
		if c.allOK() {
			t.Fatal("healed alone")
		}
		c.mesh()
		c.within(0, 15*time.Second, "healed by a late full mesh", c.allOK)
	})
}

func TestForgetGone5(t *testing.T) {
	each(t, func(c *cluster) {
		gone := c.id(c.r[0])
		c.r[0].Kill()
		c.Advance(5 * time.Second)
		c.must(valkey.Forget(t.Context(), c.conn(c.p[0]), gone))
		c.within(0, time.Second, "forgotten by all", func() bool {
			for _, s := range []*Server{c.p[0], c.p[1], c.p[2], c.r[1], c.r[2]} {
				if _, known := c.observe(s).Nodes.Find(gone); known {
					return false
				}
			}
			return true
		})
		c.Advance(90 * time.Second)
		if _, known := c.observe(c.p[1]).Nodes.Find(gone); known {
			t.Error("it came back")
		}
	})
}

// A forgotten server that lives comes back on 8.1 and later.
func TestForgetLive5(t *testing.T) {
	each(t, func(c *cluster) {
		live := c.id(c.r[0])
		for _, s := range c.all() {
			if s != c.r[0] {
				err := valkey.Forget(t.Context(), c.conn(s), live)
				c.must(err)
			}
		}
		back := false
		for range 80 {
			c.Advance(100 * time.Millisecond)
			_, known := c.observe(c.p[1]).Nodes.Find(live)
			back = back || known
		}
		if want := c.p[0].version.AtLeast(8, 1); back != want {
			t.Errorf("came back: %t, want %t", back, want)
		}
	})
}

// Without a majority nobody is elected and FORCE does nothing; one TAKEOVER
// brings the majority back, and with it the other shard.
func TestMajorityLost7(t *testing.T) {
	each(t, func(c *cluster) {
		c.p[0].Kill()
		c.p[1].Kill()
		c.Advance(5 * time.Second)
		c.must(valkey.Failover(t.Context(), c.conn(c.r[0]), valkey.FailoverForce))
		c.Advance(10 * time.Second)
		if c.role(c.r[0]) == valkey.Primary || c.role(c.r[1]) == valkey.Primary || c.observe(c.p[2]).Cluster.OK {
			t.Fatal("served without a majority")
		}
		c.must(valkey.Failover(t.Context(), c.conn(c.r[0]), valkey.FailoverTakeover))
		c.within(0, 8*time.Second, "the other shard", func() bool { return c.role(c.r[1]) == valkey.Primary })
		c.p[0].Start()
		if err := c.set(c.p[0], c.key(0)); !errors.Is(err, valkey.ErrClusterDown) {
			t.Errorf("the old primary took a write: %v", err)
		}
		c.within(0, time.Second, "old primary demoted", func() bool { return c.role(c.p[0]) == valkey.Replica })
	})
}
