package valkey

import (
	"errors"
	"net/netip"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

const (
	idA = NodeID("07c37dfeb235213a872192d90877d0cd55635b91")
	idB = NodeID("67ed2db8d677e59ec4a4cefb06858cf2a1a89fa1")
)

var compareNodes = cmp.Options{cmpopts.EquateComparable(netip.AddrPort{}), cmpopts.EquateEmpty()}

func rangesOf(ranges ...slots.Range) slots.Set { return slots.Of(ranges...) }

func TestParseNode(t *testing.T) {
	for _, test := range []struct {
		name string
		line string
		want Node
	}{
		{
			"primary with slots",
			string(idA) + " 10.0.0.1:6379@16379 myself,master - 0 1426238317000 2 connected 0-99 200 300-400",
			Node{
				ID: idA, Addr: netip.MustParseAddrPort("10.0.0.1:6379"), BusPort: 16379, Flags: Myself | FlagPrimary,
				ConfigEpoch: 2, LinkUp: true,
				Slots: rangesOf(slots.Range{First: 0, Last: 99}, slots.Range{First: 200, Last: 200}, slots.Range{First: 300, Last: 400}),
			},
		},
		{
			"failing replica",
			string(idA) + " 10.0.0.1:6379@16379 slave,fail?,nofailover " + string(idB) + " 1426238316232 1426238317741 3 disconnected",
			Node{
				ID: idA, Addr: netip.MustParseAddrPort("10.0.0.1:6379"), BusPort: 16379, Flags: FlagReplica | PossiblyFailed | NoFailover,
				Primary: idB, ConfigEpoch: 3,
			},
		},
		{
			"no address",
			string(idA) + " :0@0 master,fail,noaddr - 1 2 3 disconnected",
			Node{ID: idA, Flags: FlagPrimary | Failed | NoAddr, ConfigEpoch: 3},
		},
		{
			"itself before it was met",
			string(idA) + " :7180@17180 myself,master - 0 0 0 connected",
			Node{ID: idA, Addr: netip.AddrPortFrom(netip.Addr{}, 7180), BusPort: 17180, Flags: Myself | FlagPrimary, LinkUp: true},
		},
		{
			"handshake",
			string(idA) + " 10.0.0.1:6379@16379 handshake - 1 0 0 disconnected",
			Node{ID: idA, Addr: netip.MustParseAddrPort("10.0.0.1:6379"), BusPort: 16379, Flags: Handshake},
		},
		{
			"IPv6 and host name",
			string(idA) + " 2001:db8::1:6379@16379,node-0.example.org master - 0 0 1 connected",
			Node{ID: idA, Addr: netip.MustParseAddrPort("[2001:db8::1]:6379"), BusPort: 16379, Hostname: "node-0.example.org", Flags: FlagPrimary, ConfigEpoch: 1, LinkUp: true},
		},
		{
			"open slots",
			string(idA) + " 10.0.0.1:6379@16379 myself,master - 0 0 1 connected 5 [4545->-" + string(idB) + "] [0-<-" + string(idB) + "] [16383->-" + string(idB) + "]",
			Node{
				ID: idA, Addr: netip.MustParseAddrPort("10.0.0.1:6379"), BusPort: 16379, Flags: Myself | FlagPrimary, ConfigEpoch: 1, LinkUp: true,
				Slots:     rangesOf(slots.Range{First: 5, Last: 5}),
				Migrating: []OpenSlot{{4545, idB}, {16383, idB}}, Importing: []OpenSlot{{0, idB}},
			},
		},
		{
			"details of other versions",
			string(idA) + " 10.0.0.1:6379@16379,host,tls-port=0,shard-id=x myself,master,sleeping - 0 0 1 connected 5 weight=3",
			Node{
				ID: idA, Addr: netip.MustParseAddrPort("10.0.0.1:6379"), BusPort: 16379, Hostname: "host", Flags: Myself | FlagPrimary,
				ConfigEpoch: 1, LinkUp: true, Slots: rangesOf(slots.Range{First: 5, Last: 5}),
			},
		},
		{
			"details without a host name",
			string(idA) + " 10.0.0.1:6379@16379,,shard-id=x noflags - 0 0 0 connected",
			Node{ID: idA, Addr: netip.MustParseAddrPort("10.0.0.1:6379"), BusPort: 16379, LinkUp: true},
		},
		{
			"announced address that is no IP",
			string(idA) + " 999.1:6379@16379 master - 0 0 0 connected",
			Node{ID: idA, Addr: netip.AddrPortFrom(netip.Addr{}, 6379), BusPort: 16379, Flags: FlagPrimary, LinkUp: true},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := ParseNodes(test.line + "\n")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(Nodes{&test.want}, got, compareNodes); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseNodesRefusesDoubt(t *testing.T) {
	for name, line := range map[string]string{
		"too short":           string(idA) + " 10.0.0.1:6379@16379 master - 0 0 0",
		"no ID":               "x 10.0.0.1:6379@16379 master - 0 0 0 connected",
		"ID in capitals":      strings.ToUpper(string(idA)) + " 10.0.0.1:6379@16379 master - 0 0 0 connected",
		"no address":          string(idA) + " nowhere master - 0 0 0 connected",
		"no bus port":         string(idA) + " 10.0.0.1:6379 master - 0 0 0 connected",
		"port too large":      string(idA) + " 10.0.0.1:70000@16379 master - 0 0 0 connected",
		"bus port too large":  string(idA) + " 10.0.0.1:6379@70000 master - 0 0 0 connected",
		"strange primary":     string(idA) + " 10.0.0.1:6379@16379 slave b 0 0 0 connected",
		"strange epoch":       string(idA) + " 10.0.0.1:6379@16379 master - 0 0 -1 connected",
		"strange ping":        string(idA) + " 10.0.0.1:6379@16379 master - x 0 0 connected",
		"strange pong":        string(idA) + " 10.0.0.1:6379@16379 master - 0 x 0 connected",
		"slot out of range":   string(idA) + " 10.0.0.1:6379@16379 master - 0 0 0 connected 0-16384",
		"slot backwards":      string(idA) + " 10.0.0.1:6379@16379 master - 0 0 0 connected 9-5",
		"slot in words":       string(idA) + " 10.0.0.1:6379@16379 master - 0 0 0 connected all",
		"open slot, no peer":  string(idA) + " 10.0.0.1:6379@16379 myself,master - 0 0 0 connected [5->-]",
		"open slot, no arrow": string(idA) + " 10.0.0.1:6379@16379 myself,master - 0 0 0 connected [5]",
		"open slot, open end": string(idA) + " 10.0.0.1:6379@16379 myself,master - 0 0 0 connected [5->-" + string(idB),
		"open slot, a range":  string(idA) + " 10.0.0.1:6379@16379 myself,master - 0 0 0 connected [5-6->-" + string(idB) + "]",
		"an error in a text":  "ERR something",
	} {
		good := string(idB) + " 10.0.0.2:6379@16379 master - 0 0 0 connected\n"
		if nodes, err := ParseNodes(good + line + "\n"); !errors.Is(err, ErrProtocol) || nodes != nil {
			t.Errorf("%s: %v, %v; want nothing but an ErrProtocol", name, nodes, err)
		}
	}
}

// The recorded clusters are all three primaries with a replica each.
func TestParseNodesFormed(t *testing.T) {
	for _, name := range []string{"nodes-formed.txt", "nodes-formed-replica.txt", "nodes-hostname.txt"} {
		eachVersion(t, name, func(t *testing.T, text string) {
			nodes, err := ParseNodes(text)
			if err != nil {
				t.Fatal(err)
			}
			self, ok := nodes.Self()
			if !ok || !self.LinkUp || !self.Addr.IsValid() {
				t.Errorf("self is %v", self)
			}
			var covered slots.Set
			hosts := 0
			for _, n := range nodes {
				covered = covered.Union(n.Slots)
				if n.Hostname != "" {
					hosts++
				}
				if n.Role() == Replica {
					primary, ok := nodes.Find(n.Primary)
					if !ok || primary.Role() != Primary || primary.Slots.IsEmpty() || !n.Slots.IsEmpty() {
						t.Errorf("replica %v of %v", n, primary)
					}
				}
				if !n.IsMember() || n.Flags.Has(Failed) || n.Flags.Has(PossiblyFailed) {
					t.Errorf("not a healthy member: %v", n)
				}
			}
			if len(nodes) != 6 || !covered.Equal(slots.All()) || hosts != strings.Count(text, "example.org") {
				t.Errorf("%d nodes, %q covered, %d host names", len(nodes), covered, hosts)
			}
		})
	}
}

func TestParseNodesOfEveryMoment(t *testing.T) {
	type summary struct{ members, handshakes, possiblyFailed, failed, migrating, importing int }
	for name, want := range map[string]summary{
		"nodes-alone.txt":     {members: 1},
		"nodes-handshake.txt": {members: 1, handshakes: 5},
		"nodes-formed.txt":    {members: 6},
		"nodes-migrating.txt": {members: 6, migrating: 1},
		"nodes-importing.txt": {members: 6, importing: 1},
		"nodes-pfail.txt":     {members: 6, possiblyFailed: 1},
		"nodes-fail.txt":      {members: 6, failed: 1},
	} {
		eachVersion(t, name, func(t *testing.T, text string) {
			nodes, err := ParseNodes(text)
			if err != nil {
				t.Fatal(err)
			}
			var got summary
			for _, n := range nodes {
				got.members += count(n.IsMember())
				got.handshakes += count(n.Flags.Has(Handshake))
				got.possiblyFailed += count(n.Flags.Has(PossiblyFailed))
				got.failed += count(n.Flags.Has(Failed))
				got.migrating += len(n.Migrating)
				got.importing += len(n.Importing)
			}
			if got != want {
				t.Errorf("%s: %+v, want %+v", name, got, want)
			}
		})
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// times are those of ping and pong, which nobody needs.
var times = regexp.MustCompile(`(?m)^(\S+ \S+ \S+ \S+) \d+ \d+ `)

// Nothing else of what servers print is lost.
func TestNodesPrintAsTheyWereRead(t *testing.T) {
	recorded(t, "*/nodes-*.txt", func(file, text string) {
		nodes, err := ParseNodes(text)
		if err != nil {
			t.Errorf("%s: %v", file, err)
		} else if diff := cmp.Diff(times.ReplaceAllString(text, "$1 0 0 "), nodes.String()); diff != "" {
			t.Errorf("%s (-recorded +printed):\n%s", file, diff)
		}
	})
}

func FuzzParseNodes(f *testing.F) {
	recorded(f, "*/nodes-*.txt", func(_, text string) { f.Add(text) })
	f.Add(string(idA) + " 2001:db8::1:6379@16379,,shard-id=x master,noaddr - 0 0 1 connected 5 weight=3 [7-<-" + string(idB) + "]")
	f.Fuzz(func(t *testing.T, text string) {
		nodes, err := ParseNodes(text)
		if err != nil {
			return
		}
		again, err := ParseNodes(nodes.String())
		if err != nil {
			t.Fatalf("%q prints as %q: %v", text, nodes, err)
		}
		if diff := cmp.Diff(nodes, again, compareNodes); diff != "" {
			t.Fatalf("%q reads back differently:\n%s", text, diff)
		}
	})
}

func TestNodeIDValid(t *testing.T) {
	for id, want := range map[NodeID]bool{idA: true, "": false, idA[1:]: false, idA + "0": false, "G" + idA[1:]: false} {
		if id.Valid() != want {
			t.Errorf("%q: %v", id, !want)
		}
	}
}
