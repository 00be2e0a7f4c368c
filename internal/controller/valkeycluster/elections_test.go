package valkeycluster

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/valkey-operator/valkey-operator/internal/topology"
)

// A server that does not become primary is asked again, less and less often;
// everything else is done in each pass.
func TestElectionsAreNotBegunAnew(t *testing.T) {
	m := newMemory()
	name := types.NamespacedName{Namespace: "ns", Name: "c"}
	handOver := topology.HandOver{Target: topology.Target{Name: "c-0-1", ID: "b"}}
	roll := topology.Roll{Target: topology.Target{Name: "c-1-1", ID: "d"}}
	start := time.Unix(1000, 0)
	var asked []int
	for tick := range 700 {
		now := start.Add(time.Duration(tick) * 100 * time.Millisecond)
		due := m.due(name, []topology.Action{handOver, roll}, now)
		if len(due) == 0 || due[len(due)-1] != topology.Action(roll) {
			t.Fatalf("due are %v", due)
		}
		if len(due) == 2 {
			asked = append(asked, tick)
		}
	}
	if diff := cmp.Diff([]int{0, 10, 30, 70, 150, 310, 610}, asked); diff != "" {
		t.Errorf("asked after so many tenths of a second:\n%s", diff)
	}
}

// Another server, or the same one later, is asked at once.
func TestElectionsOfOthersAreDue(t *testing.T) {
	m := newMemory()
	name := types.NamespacedName{Namespace: "ns", Name: "c"}
	now := time.Unix(1000, 0)
	ask := func(id topology.NodeID) bool {
		return len(m.due(name, []topology.Action{topology.FailOver{Target: topology.Target{Name: "c-0-1", ID: id}}}, now)) == 1
	}
	if !ask("b") || ask("b") || !ask("other") {
		t.Error("one of two servers was not asked once")
	}
	now = now.Add(10 * time.Second)
	if !ask("b") || ask("b") {
		t.Error("not asked anew after a while")
	}
	if now = now.Add(firstElectionPause); !ask("b") {
		t.Error("the pause did not begin anew")
	}
}
