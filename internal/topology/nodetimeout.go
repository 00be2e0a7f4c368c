package topology

import "fmt"

// nodeTimeout gives back to every server the timeout that is wanted, after
// found shortened it, or after a crash in between.
func nodeTimeout(p *pass) {
	if p.stillFounding() {
		return
	}
	for _, m := range p.members {
		if m.Server == nil || m.Server.NodeTimeout == p.want.NodeTimeout {
			continue
		}
		p.act(SetNodeTimeout{
			Why:     Why{ReasonNodeTimeout, fmt.Sprintf("setting cluster-node-timeout of %s to %s", m.Name, p.want.NodeTimeout), m.Shard},
			Target:  m.target(),
			Timeout: p.want.NodeTimeout,
		})
	}
}

// stillFounding reports whether every wanted server answers, none has a key,
// and a primary does not serve yet.
func (p *pass) stillFounding() bool {
	if len(p.missing()) > 0 {
		return false
	}
	waiting := false
	for _, m := range p.members {
		if m.Server == nil || m.Server.Keys > 0 {
			return false
		}
		waiting = waiting || (m.Server.Role == RolePrimary && !m.Server.Serving)
	}
	return waiting
}
