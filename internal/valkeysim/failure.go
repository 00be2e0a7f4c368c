package valkeysim

// suspectSilent marks nodes that did not answer within the node timeout. A
// single voting primary is its own majority.
func (p *process) suspectSilent() {
	for _, n := range p.others() {
		if n.handshake || n.suspect || n.failed || n.pingSent == 0 {
			continue
		}
		if p.now()-n.pingSent > p.nodeTimeout {
			n.suspect = true
			p.failByMajority(n)
		}
	}
}

// failByMajority turns suspicion into a verdict once a majority of the voting
// primaries shares it.
func (p *process) failByMajority(n *node) {
	if !n.suspect || n.failed {
		return
	}
	count := 0
	for id, at := range n.reports {
		if p.now()-at > 2*p.nodeTimeout {
			delete(n.reports, id)
			continue
		}
		count++
	}
	if p.self.votes() {
		count++
	}
	if count < p.quorum() {
		return
	}
	n.failed, n.suspect, n.failedAt = true, false, p.now()
	pk := p.packet(fail)
	pk.about = n.id
	p.broadcast(pk)
	p.wakeElection()
}

// forgive takes back the verdict on a node that answers again: at once when
// nothing depends on it, and otherwise when nobody took its place for long.
func (p *process) forgive(n *node) {
	if n.failed && (!n.votes() || p.now()-n.failedAt > 2*p.nodeTimeout) {
		n.failed = false
	}
}

// size is the number of voting primaries.
func (p *process) size() int {
	count := 0
	for _, n := range p.nodes {
		if n.votes() {
			count++
		}
	}
	return count
}

func (p *process) quorum() int { return p.size()/2 + 1 }
