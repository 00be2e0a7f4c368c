package topology

import (
	"fmt"
	"time"
)

// foundingTimeout is the cluster-node-timeout of a first primary until it
// serves. One that idled alone waits as long as its node timeout, but half a
// second at least, from the moment when it sees the others.
//
// Servers that answer late are suspected early meanwhile, so it is set when
// all know each other, and taken back from each as soon as it serves.
const foundingTimeout = 500 * time.Millisecond

// nodeTimeout gives every server the timeout that is wanted, but for a moment
// while a cluster is founded. What a crash in between left short is mended.
func nodeTimeout(p *pass) {
	founding := p.founding()
	for _, m := range p.members {
		if m.Server == nil {
			continue
		}
		want := p.want.NodeTimeout
		if founding && m.ownsSlots() && !m.Server.Serving {
			want = min(want, foundingTimeout)
		}
		if m.Server.NodeTimeout == want {
			continue
		}
		p.act(SetNodeTimeout{
			Why:     Why{ReasonNodeTimeout, fmt.Sprintf("setting cluster-node-timeout of %s to %s", m.Name, want), m.Shard},
			Target:  m.target(),
			Timeout: want,
		})
	}
}

// founding reports whether every wanted server answers and knows all others,
// none has a key, and a primary does not serve yet.
func (p *pass) founding() bool {
	waiting := false
	for _, m := range p.members {
		if m.Server == nil || m.Server.Keys > 0 {
			return false
		}
		waiting = waiting || (m.ownsSlots() && !m.Server.Serving)
	}
	return waiting && p.joined()
}
