package scenario

import (
	"slices"
	"strings"
	"testing"
)

// A primary that has never been written to is succeeded at once like any other,
// although its replica has got nowhere in its stream (N11).
func TestUnwrittenPrimaryIsSucceeded(t *testing.T) {
	eachGround(t, func(t *testing.T, ground func(*testing.T) Ground) {
		f := NewFleet(ground(t), 3, 1)
		f.context = t.Context()
		f.Settle(t, All)
		f.strike(Crash, f.nodes["c-0-0"])
		f.Settle(t, All)
		if !slices.ContainsFunc(f.chronicle, func(line string) bool {
			return strings.Contains(line, "failing shard 0 over to c-0-1")
		}) {
			t.Errorf("nobody told c-0-1 to take over:\n%s", strings.Join(f.chronicle, "\n"))
		}
	})
}
