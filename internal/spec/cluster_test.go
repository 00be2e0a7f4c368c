package spec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation"
	"pgregory.net/rapid"
)

func TestNodes(t *testing.T) {
	for _, tc := range []struct {
		shards, replicas int
		want             []Node
	}{
		{1, 0, []Node{{"cart-0-0", 0, 0}}},
		{2, 1, []Node{{"cart-0-0", 0, 0}, {"cart-0-1", 0, 1}, {"cart-1-0", 1, 0}, {"cart-1-1", 1, 1}}},
	} {
		t.Run(fmt.Sprintf("%dx%d", tc.shards, tc.replicas), func(t *testing.T) {
			c := Cluster{Name: "cart", Shards: tc.shards, Replicas: tc.replicas}
			if diff := cmp.Diff(tc.want, c.Nodes()); diff != "" {
				t.Errorf("unexpected nodes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNodeByName(t *testing.T) {
	c := Cluster{Name: "cart", Shards: 12, Replicas: 1}
	for _, want := range c.Nodes() {
		if got, found := c.Node(want.Name); !found || got != want {
			t.Errorf("%s is %+v, %t", want.Name, got, found)
		}
	}
	for _, name := range []string{"", "cart", "cart-0", "cart-12-0", "cart-0-2", "cart--1-0", "cart-0--1", "cart-00-0", "cart-0-0-0", "cart-0-0x", "art-0-0", "x-cart-0-0", "0-0"} {
		if got, found := c.Node(name); found {
			t.Errorf("%q is %+v", name, got)
		}
	}
}

// Two clusters of one namespace never have a node of the same name, though one
// may be called like a node of the other.
func TestNodesOfTwoClustersDiffer(t *testing.T) {
	name := rapid.StringMatching(`[ab](-?[0-2]){0,4}`)
	rapid.Check(t, func(t *rapid.T) {
		a := Cluster{Name: name.Draw(t, "a"), Shards: 4, Replicas: 3}
		b := Cluster{Name: name.Draw(t, "b"), Shards: 4, Replicas: 3}
		if a.Name == b.Name {
			t.Skip("the same cluster")
		}
		seen := map[string]bool{}
		for _, n := range a.Nodes() {
			seen[n.Name] = true
		}
		for _, n := range b.Nodes() {
			if seen[n.Name] {
				t.Fatalf("%s and %s both have a node %s", a.Name, b.Name, n.Name)
			}
		}
	})
}

// The longest name that the API accepts leaves room for the names of 500
// shards' pods, hosts and Services.
func TestLongestNameFits(t *testing.T) {
	c := Cluster{Name: strings.Repeat("c", 38), Shards: 500, Replicas: 20}
	nodes := c.Nodes()
	host := "valkey-" + nodes[len(nodes)-1].Name + "-0"
	for _, name := range []string{host, c.HeadlessService(), c.ClientService(), c.ReadService()} {
		if problems := validation.IsDNS1035Label(name); problems != nil {
			t.Errorf("%s: %v", name, problems)
		}
	}
	// Pods of a StatefulSet carry its name and a hash in a label.
	if revision := "valkey-" + nodes[len(nodes)-1].Name + "-7b8c9d6f5c"; len(revision) > validation.LabelValueMaxLength {
		t.Errorf("%s has %d characters, too many for a label", revision, len(revision))
	}
	for key, value := range c.NodeLabels(nodes[len(nodes)-1]) {
		if problems := validation.IsValidLabelValue(value); problems != nil {
			t.Errorf("label %s: %v", key, problems)
		}
	}
}

func TestSelectorsMatchTheLabels(t *testing.T) {
	c := Cluster{Name: "cart", Shards: 3, Replicas: 1}
	node := Node{"cart-1-0", 1, 0}
	for _, selector := range []map[string]string{c.Selector(), c.ShardSelector(1)} {
		for key, value := range selector {
			if got := c.NodeLabels(node)[key]; got != value {
				t.Errorf("label %s is %q, selected is %q", key, got, value)
			}
		}
	}
}

func TestLabels(t *testing.T) {
	c := Cluster{Name: "cart"}
	want := map[string]string{
		"valkey.io/cluster":            "cart",
		"valkey.io/shard-index":        "2",
		"valkey.io/node-index":         "1",
		"app.kubernetes.io/name":       "valkey",
		"app.kubernetes.io/instance":   "cart",
		"app.kubernetes.io/component":  "valkey-node",
		"app.kubernetes.io/part-of":    "valkey",
		"app.kubernetes.io/managed-by": "valkey-operator",
	}
	if diff := cmp.Diff(want, c.NodeLabels(Node{"cart-2-1", 2, 1})); diff != "" {
		t.Errorf("unexpected labels (-want +got):\n%s", diff)
	}
	if got := c.Labels()["app.kubernetes.io/component"]; got != "valkey-cluster" {
		t.Errorf("component of cluster objects is %q", got)
	}
}
