package observe

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"

	"github.com/valkey-operator/valkey-operator/internal/slots"
	"github.com/valkey-operator/valkey-operator/internal/topology"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// crowd is a large cluster in which all is well. Every server answers what it
// would: the same in another order, with other times.
type crowd struct {
	addrs []netip.AddrPort
	texts map[netip.AddrPort]string
}

// newCrowd returns a cluster of n servers, of which the first asked ones answer.
func newCrowd(n, asked int) *crowd {
	c := &crowd{texts: map[netip.AddrPort]string{}}
	var nodes []valkey.Node
	for i, part := range slots.Partition(n / 3) {
		for index := range 3 {
			node := valkey.Node{
				ID: valkey.NodeID(fmt.Sprintf("%040x", 3*i+index+1)), BusPort: 16379, LinkUp: true, ConfigEpoch: uint64(i + 1),
				Addr: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, byte(len(nodes) >> 8), byte(len(nodes))}), 6379),
			}
			if index == 0 {
				node.Flags, node.Slots = valkey.FlagPrimary, part
			} else {
				node.Flags, node.Primary = valkey.FlagReplica, nodes[len(nodes)-index].ID
			}
			nodes = append(nodes, node)
		}
	}
	chance := rand.New(rand.NewPCG(1, 1))
	for i := range asked {
		c.addrs = append(c.addrs, nodes[i].Addr)
		c.texts[nodes[i].Addr] = viewOf(nodes, i, chance)
	}
	return c
}

func viewOf(nodes []valkey.Node, self int, chance *rand.Rand) string {
	lines := make([]string, 0, len(nodes))
	for i, n := range nodes {
		if i == self {
			n.Flags |= valkey.Myself
		}
		times := fmt.Sprintf(" 0 %d ", 1_700_000_000_000+chance.Int64N(10_000))
		lines = append(lines, strings.Replace(n.String(), " 0 0 ", times, 1)+"\n")
	}
	chance.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return strings.Join(lines, "")
}

func (c *crowd) targets() map[topology.Name]valkey.Target {
	targets := map[topology.Name]valkey.Target{}
	for i, addr := range c.addrs {
		targets[topology.Name(fmt.Sprintf("c-%d-%d", i/3, i%3))] = valkey.Target{Addr: addr}
	}
	return targets
}

func (c *crowd) Dial(_ context.Context, t valkey.Target) (valkey.Conn, error) {
	return crowdConn{c.texts[t.Addr]}, nil
}

type crowdConn struct{ nodes string }

func (c crowdConn) Close() {}

func (c crowdConn) Do(_ context.Context, cmds ...valkey.Command) []valkey.Reply {
	var replies []valkey.Reply
	for _, cmd := range cmds {
		switch cmd.String() {
		case "CLUSTER NODES":
			replies = append(replies, valkey.TextReply(strings.Clone(c.nodes)))
		case "CLUSTER INFO":
			replies = append(replies, valkey.TextReply("cluster_state:ok\r\n"))
		case "INFO":
			replies = append(replies, valkey.TextReply("valkey_version:9.1.2\r\nrole:master\r\nmaster_repl_offset:1\r\n"))
		case "CONFIG GET":
			replies = append(replies, valkey.ListReply(valkey.TextReply("cluster-node-timeout"), valkey.TextReply("2000")))
		}
	}
	return replies
}

// Servers that agree share one View, whatever their answers look like: what
// costs the square of their number is done with the answers alone.
func TestServersThatAgreeShareOneView(t *testing.T) {
	c := newCrowd(30, 30)
	odd := c.addrs[7]
	c.texts[odd] = strings.Replace(c.texts[odd], "slave ", "slave,fail? ", 1)
	views := map[*topology.View]int{}
	var suspects int
	for name, a := range Servers(t.Context(), c, c.targets()) {
		if a.Err != nil {
			t.Fatalf("%s: %v", name, a.Err)
		}
		v := a.Server.View
		if views[v]++; views[v] > 1 {
			continue
		}
		if len(v.Peers) != 30 {
			t.Errorf("%s knows %d servers", name, len(v.Peers))
		}
		for _, p := range v.Peers {
			if p.Suspect {
				suspects++
			}
			if !p.Addr.IsValid() || p.Unlinked || (p.Role == topology.RolePrimary) == p.Slots.IsEmpty() || (p.Role == topology.RolePrimary) != (p.Primary == "") {
				t.Errorf("%s sees %+v", name, p)
			}
		}
	}
	if len(views) != 2 || suspects != 1 {
		t.Errorf("%d views with %d suspects, want 2 and 1", len(views), suspects)
	}
}

// A server does not know its own address before it was met, and says nothing of
// a link to itself; others do.
func TestOwnLineIsCompletedByWhereItWasAsked(t *testing.T) {
	c := newCrowd(3, 3)
	for _, addr := range c.addrs {
		c.texts[addr] = strings.Replace(c.texts[addr], addr.Addr().String()+":6379@16379 myself", ":6379@16379 myself", 1)
	}
	views := map[*topology.View]bool{}
	for _, a := range Servers(t.Context(), c, c.targets()) {
		views[a.Server.View] = true
	}
	if len(views) != 1 {
		t.Errorf("%d views, want 1", len(views))
	}
}

func BenchmarkServers(b *testing.B) {
	for _, n := range []int{150, 1500} {
		b.Run(fmt.Sprintf("100 of %d", n), func(b *testing.B) {
			c := newCrowd(n, 100)
			for b.Loop() {
				for name, a := range Servers(b.Context(), c, c.targets()) {
					if a.Err != nil {
						b.Fatalf("%s: %v", name, a.Err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(100*n), "ns/line")
		})
	}
}
