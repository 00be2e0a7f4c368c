package valkeysim

import "time"

// contact keeps in touch: new nodes are greeted at once, every node is pinged
// at least twice per node timeout, and each second the one of five that was
// silent for longest.
func (p *process) contact() {
	var quiet *node
	others := p.others()
	for range min(5, len(others)) {
		n := others[p.server.chance.IntN(len(others))]
		if !n.handshake && n.connected && n.pingSent == 0 && (quiet == nil || n.pong < quiet.pong) {
			quiet = n
		}
	}
	for _, n := range others {
		if n.addr.IsValid() && p.due(n, n == quiet && p.ticks%10 == 0) {
			p.greet(n)
		}
	}
}

func (p *process) due(n *node, turn bool) bool {
	half := p.nodeTimeout / 2
	switch {
	case !n.connected: // as long as the connection fails, it is tried again
		return true
	case n.pingSent != 0: // a new connection is made when the old one is silent
		return p.now()-n.tried > half
	case p.greetsAgain(n):
		return true
	}
	return turn || p.now()-n.pong > half
}

// greetsAgain reports whether n answers and never makes contact itself: it may
// have forgotten us. From 8.1 on it is greeted as if new (facts 5).
func (p *process) greetsAgain(n *node) bool {
	if !p.server.version.AtLeast(8, 1) || n.handshake || p.now()-n.heard < max(p.nodeTimeout, time.Second) {
		return false
	}
	n.heard, n.meet = p.now(), true
	return true
}

func (p *process) greet(n *node) {
	k := ping
	if n.meet {
		k = meet
	}
	if n.pingSent == 0 {
		n.pingSent = p.now()
	}
	n.tried = p.now()
	p.send(n, p.greeting(k, n))
}
