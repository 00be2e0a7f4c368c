package valkeysim

import "time"

// writableDelay is how long after its start a primary stays out (facts 1).
const writableDelay = 2 * time.Second

// judgeState decides on cluster_state: with a majority of the voting primaries
// in reach it is ok, after a wait if it was not so. Slots without an owner do
// not matter, as with cluster-require-full-coverage no.
func (p *process) judgeState() {
	if !p.self.replica && !p.ok && p.now()-p.started < writableDelay {
		return
	}
	reachable := 0
	for _, n := range p.nodes {
		if n.votes() && !n.suspect && !n.failed {
			reachable++
		}
	}
	if reachable < p.quorum() {
		p.ok, p.minority = false, p.now()
		return
	}
	if !p.ok && !p.self.replica && p.minority != 0 && p.now()-p.minority < p.rejoinDelay() {
		return
	}
	p.ok = true
}

// rejoinDelay is the node timeout within 0.5 s and 5 s (facts 1).
func (p *process) rejoinDelay() time.Duration {
	return min(max(p.nodeTimeout, 500*time.Millisecond), 5*time.Second)
}
