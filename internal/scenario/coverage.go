package scenario

import (
	"context"

	"github.com/valkey-operator/valkey-operator/internal/slots"
	"github.com/valkey-operator/valkey-operator/internal/topology"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// owns returns the slots that n's server says to own.
func (f *Fleet) owns(n *node) slots.Set {
	o, err := f.ask(n)
	if err != nil || o.Self().Role() != valkey.Primary {
		return slots.Set{}
	}
	return o.Self().Slots
}

// covered returns the slots that any running server owns.
func (f *Fleet) covered() slots.Set {
	var all slots.Set
	for _, name := range f.names() {
		if n := f.nodes[name]; n.server.Running() {
			all = all.Union(f.owns(n))
		}
	}
	return all
}

// carryOut runs one action, during which no time passes, and checks that it
// leaves every slot covered (N1).
func (f *Fleet) carryOut(ctx context.Context, action topology.Action) {
	before := f.covered()
	f.run(ctx, []topology.Action{action})
	if lost := before.Minus(f.covered()); !lost.IsEmpty() {
		f.violate("N1: %q uncovers %v", action.Explain().Message, lost)
	}
}
