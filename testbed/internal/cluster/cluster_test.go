package cluster

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	for name, ok := range map[string]bool{
		"valkey": true, "a1": true, "": false, "1a": false, "a-n2": false, "A": false, "a/b": false, "a.b": false,
		strings.Repeat("a", 20): true, strings.Repeat("a", 21): false,
	} {
		if _, err := New("/cache", name); (err == nil) != ok {
			t.Errorf("name %q: %v", name, err)
		}
	}
}

func TestCacheTooLongForSockets(t *testing.T) {
	if _, err := New("/"+strings.Repeat("x", 80), "valkey"); err == nil || !strings.Contains(err.Error(), "VALKEY_TESTBED_CACHE") {
		t.Errorf("error %v: want the way out", err)
	}
}

func TestSpecIsKept(t *testing.T) {
	c, err := New(t.TempDir(), "a")
	if err != nil {
		t.Skip("the folder for temporary files is too long: ", err)
	}
	c.dir = t.TempDir()
	want := Spec{Nodes: 3, BinDirs: []string{"/x", "/y"}, CNIDir: "/y", Runc: "/x/runc", PauseRef: "p:1", Archives: []string{"/z"}}
	if err := c.saveSpec(want); err != nil {
		t.Fatal(err)
	}
	got, err := c.spec()
	if err != nil || got.Nodes != 3 || !slices.Equal(got.BinDirs, want.BinDirs) || !slices.Equal(got.Archives, want.Archives) ||
		got.CNIDir != want.CNIDir || got.Runc != want.Runc || got.PauseRef != want.PauseRef {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if path := got.searchPath(); !strings.HasPrefix(path, "/x:/y:/usr") {
		t.Errorf("PATH %q: want the cluster's binaries first", path)
	}
	if _, err := c.up(); !errors.Is(err, ErrNotUp) {
		t.Errorf("a spec alone makes no cluster: %v", err)
	}
}

func TestNamespacesOfTwoClustersDiffer(t *testing.T) {
	a, b := &Cluster{Name: "a"}, &Cluster{Name: "b"}
	seen := map[string]bool{}
	for _, c := range []*Cluster{a, b} {
		for node := 1; node <= maxNodes; node++ {
			if name := c.netns(node); seen[name] {
				t.Errorf("%s is there twice", name)
			} else {
				seen[name] = true
			}
		}
	}
}

func TestRoutesLeadToAllOtherNodes(t *testing.T) {
	const want = `link set lo up
addr add 172.30.0.2/24 dev node0
link set node0 up
route add default via 172.30.0.254 dev node0
route add 10.244.1.0/24 via 172.30.0.1 dev node0
route add 10.244.3.0/24 via 172.30.0.3 dev node0
`
	if got := routes(2, 3); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestLinkFlags(t *testing.T) {
	const up = `7: tonode2@if2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue master node0 state UP mode DEFAULT\    link/ether 00`
	if flags := linkFlags(up); !slices.Contains(flags, "UP") {
		t.Errorf("flags %v: want UP", flags)
	}
	// LOWER_UP alone is the other end's cable, and "state DOWN" appears in either case.
	if flags := linkFlags(`7: tonode2@if2: <BROADCAST,MULTICAST,LOWER_UP> mtu 1500 state DOWN`); slices.Contains(flags, "UP") {
		t.Errorf("flags %v: want no UP", flags)
	}
}

func TestUnplugged(t *testing.T) {
	for line, want := range map[string]bool{
		`7: tonode2@if2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue master node0 state UP mode DEFAULT`:   false,
		`7: tonode2@if2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue master island0 state UP mode DEFAULT`: true,
		`7: tonode2@if2: <BROADCAST,MULTICAST> mtu 1500 qdisc noqueue master node0 state DOWN mode DEFAULT`:             true,
	} {
		if got := unplugged(line); got != want {
			t.Errorf("unplugged is %v, want %v: %s", got, want, line)
		}
	}
}

func TestReadyNodes(t *testing.T) {
	var list nodeList
	for _, conditions := range [][]struct{ Type, Status string }{
		{{"MemoryPressure", "True"}, {"Ready", "True"}},
		{{"Ready", "Unknown"}},
		nil,
	} {
		list.Items = append(list.Items, struct {
			Status struct {
				Conditions []struct{ Type, Status string }
			}
		}{})
		list.Items[len(list.Items)-1].Status.Conditions = conditions
	}
	if got := list.ready(); got != 1 {
		t.Errorf("%d nodes ready, want 1", got)
	}
}
