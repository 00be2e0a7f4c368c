package valkeysim

import (
	"net/netip"
	"testing"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/slots"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

func (c *cluster) introduce(s *Server) {
	for _, other := range c.all() {
		if other != s && other.Running() {
			c.must(valkey.Meet(c.t.Context(), c.conn(s), other.Addr(), busPort))
			c.must(valkey.Meet(c.t.Context(), c.conn(other), s.Addr(), busPort))
		}
	}
}

// A server that lost its nodes.conf claims the slots of its keys with a new ID,
// and loses them again when it is met: from 8.1 on with the keys.
func TestEmptyConf10(t *testing.T) {
	each(t, func(c *cluster) {
		t := c.t
		old := c.id(c.r[0])
		c.r[0].Stop()
		c.r[0].SetDisk(c.r[0].Disk().WithoutConf())
		c.r[0].Start()
		if o := c.observe(c.r[0]); o.ID() == old || o.Self().Role() != valkey.Primary || o.Self().Slots.Count() != int(o.Keys) || o.Keys == 0 {
			t.Fatalf("it is %v with %d keys", o.Self(), o.Keys)
		}
		c.introduce(c.r[0])
		c.within(0, 3*time.Second, "no slots", func() bool { return c.observe(c.r[0]).Self().Slots.IsEmpty() })
		c.Advance(2 * time.Second)
		if kept := c.observe(c.r[0]).Keys > 0; kept == c.r[0].version.AtLeast(8, 1) {
			t.Errorf("the keys were kept: %t", kept)
		}
	})
}

// renew restarts s in place as the start of a pod does that finds a useless
// nodes.conf.
func (c *cluster) renew(s *Server, after time.Duration) {
	s.Stop()
	s.SetDisk(s.Disk().Renewed(s.NewID()))
	c.Advance(after)
	s.Start()
}

// A replica of nobody serves nobody, and gives no data to a replica that comes
// to its address.
func TestReplicaOfNobody10(t *testing.T) {
	each(t, func(c *cluster) {
		t := c.t
		old := c.id(c.p[0])
		c.renew(c.p[0], 0)
		c.within(0, 5*time.Second, "the old ID has no address", func() bool {
			n, _ := c.observe(c.p[1]).Nodes.Find(old)
			return !n.Addr.Addr().IsValid()
		})
		c.Advance(5 * time.Second)
		if o := c.observe(c.p[0]); o.Keys == 0 || !o.Self().Slots.IsEmpty() || o.Self().Primary != Nobody || c.set(c.p[0], c.key(0)) == nil {
			t.Errorf("it is %v with %d keys", o.Self(), o.Keys)
		}
		// 8.0 does not hold the old ID for failed.
		if elected := c.role(c.r[0]) == valkey.Primary; elected != c.r[0].version.AtLeast(8, 1) || c.observe(c.r[0]).Keys == 0 {
			t.Errorf("the replica was elected: %t, and has %d keys", elected, c.observe(c.r[0]).Keys)
		}
	})
}

// After its old ID was replaced it joins with what it has.
func TestReplicaOfNobodyJoins10(t *testing.T) {
	each(t, func(c *cluster) {
		t := c.t
		c.renew(c.p[0], 14*time.Second)
		c.Advance(time.Second)
		c.introduce(c.p[0])
		c.Advance(3 * time.Second)
		if o := c.observe(c.p[0]); o.Keys == 0 || len(o.Nodes) != 7 {
			t.Fatalf("met, it has %d keys and knows\n%v", o.Keys, o.Nodes)
		}
		for _, s := range []*Server{c.p[1], c.r[0]} {
			if _, known := c.observe(s).Nodes.Find(Nobody); known {
				t.Errorf("%v knows nobody", s)
			}
		}
		c.must(valkey.Replicate(t.Context(), c.conn(c.p[0]), c.id(c.r[0])))
		c.within(0, 2*time.Second, "in sync", func() bool { return c.observe(c.p[0]).Replication.Source.Up })
		c.must(valkey.Forget(t.Context(), c.conn(c.p[0]), Nobody))
		if _, known := c.observe(c.p[0]).Nodes.Find(Nobody); known {
			t.Error("it still knows nobody")
		}
	})
}

// Taking over and claiming in one transaction makes it the primary of slots
// whose owner is gone. On 9.1 it has the slots of its keys by taking over.
func TestReclaim10(t *testing.T) {
	each(t, func(c *cluster) {
		t := c.t
		keys := c.observe(c.p[0]).Keys
		c.r[0].Stop()
		c.renew(c.p[0], 6*time.Second)
		c.introduce(c.p[0])
		c.Advance(2 * time.Second)
		conn := c.conn(c.p[0])
		replies := conn.Do(t.Context(), valkey.Cmd("MULTI"), valkey.Cmd("CLUSTER", "FAILOVER", "TAKEOVER"),
			valkey.Cmd("CLUSTER", "ADDSLOTSRANGE", "0", "5460"), valkey.Cmd("EXEC"))
		results, err := replies[3].List()
		c.must(err)
		if busy := results[1].Err() != nil; busy != c.p[0].version.AtLeast(9, 0) {
			t.Errorf("ADDSLOTSRANGE: %v", results[1].Err())
		}
		if o := c.observe(c.p[0]); o.Keys != keys || o.Self().Slots.IsEmpty() {
			t.Errorf("it is %v with %d keys, want %d", o.Self(), o.Keys, keys)
		}
		c.Advance(2 * time.Second)
		c.must(c.set(c.p[0], c.key(0)))
	})
}

// Two servers of one ID: the others see it now here, now there, and both serve.
func TestTwins10(t *testing.T) {
	each(t, func(c *cluster) {
		t := c.t
		id := c.id(c.p[0])
		c.p[0].Save()
		c.r[0].Stop()
		c.r[0].SetDisk(c.p[0].Disk())
		c.r[0].Start()
		seen := map[netip.AddrPort]bool{}
		for range 100 {
			c.Advance(100 * time.Millisecond)
			n, _ := c.observe(c.p[1]).Nodes.Find(id)
			seen[n.Addr] = true
		}
		if !seen[c.p[0].Addr()] || !seen[c.r[0].Addr()] {
			t.Errorf("it is seen at %v", seen)
		}
		for _, s := range []*Server{c.p[0], c.r[0]} {
			c.must(c.set(s, c.key(0)))
		}
	})
}

// A server that starts with the nodes.conf of another cluster's primary takes
// that one's place in the eyes of its cluster, now and then.
func TestForeignConf10(t *testing.T) {
	each(t, func(c *cluster) {
		t := c.t
		id := c.id(c.p[0])
		stranger := c.Add("stranger")
		stranger.SetDisk(c.p[0].Disk())
		stranger.Start()
		there := false
		for range 100 {
			c.Advance(100 * time.Millisecond)
			n, _ := c.observe(c.p[1]).Nodes.Find(id)
			there = there || n.Addr == stranger.Addr()
		}
		if !there {
			t.Error("it never does")
		}
	})
}

// With a nodes.conf of which only the server's own line is left it is who it was,
// and has to be introduced.
func TestCutConf10(t *testing.T) {
	each(t, func(c *cluster) {
		t := c.t
		for _, s := range []*Server{c.p[0], c.r[1]} {
			s.Stop()
			s.SetDisk(s.Disk().WithConfCut())
			s.Start()
			c.introduce(s)
		}
		c.within(0, 10*time.Second, "healed", c.allOK)
		if o := c.observe(c.p[0]); o.Self().Role() != valkey.Primary || !o.Self().Slots.Equal(slots.Partition(3)[0]) {
			t.Errorf("it is %v", o.Self())
		}
	})
}
