package valkeysim

import (
	"net/netip"
	"time"
)

type linkState int

const (
	unlinked linkState = iota
	connecting
	syncing
	linked
)

// replTimeout is repl-timeout: how long a silent link counts as up.
const replTimeout = time.Minute

// link is a replica's replication link. It goes to an address and checks
// nobody's ID (facts 3).
type link struct {
	source  netip.AddrPort
	state   linkState
	peer    *process
	session int
	heard   instant
	down    instant // since when; 0 is since ever
	// lost is true from when a full synchronisation begins until it ends: the
	// replica has no place in its primary's stream.
	lost    bool
	arrival instant // of what was sent last, for nothing overtakes
}

// to turns the link to another primary, or to another address of the same.
func (l *link) to(p *process, addr netip.AddrPort) {
	l.drop(p)
	l.source = addr
	if l.state = unlinked; addr.IsValid() {
		l.state = connecting
		p.server.after(p.server.latency(), func() {
			if p.alive() && p.link.state == connecting {
				p.link.connect(p)
			}
		})
	}
}

func (l *link) close(p *process) {
	l.drop(p)
	l.source, l.state = noAddress, unlinked
}

// drop notes that the connection has ended.
func (l *link) drop(p *process) {
	if l.state == linked {
		l.down = p.now()
	}
	if l.state == linked || l.state == syncing {
		l.state = connecting
	}
	l.peer = nil
	l.session++
}

// age is how long the replica has not heard of its primary.
func (l *link) age(now instant) time.Duration {
	if l.state == linked {
		return now - l.heard
	}
	return now - l.down
}

// connect asks the server at the source to go on where p is, or for all its
// data.
func (l *link) connect(p *process) {
	peer := p.server.world.reach(p.server, l.source.Addr())
	if peer == nil || peer == p || peer.loading() || peer.self.replica && peer.link.state != linked {
		return
	}
	l.peer, l.heard = peer, p.now()
	if !l.lost && peer.stream.continues(p.stream.history, p.stream.offset) {
		l.goOn(p)
		return
	}
	l.state, l.lost = syncing, true
	session, data := l.session, peer.stream.snapshot()
	p.server.after(p.server.world.options.Sync+p.server.lag, func() { p.synced(session, data) })
}

// synced replaces the data set by the primary's. Nothing of the old one is
// left, however little the primary has (facts 3).
func (p *process) synced(session int, data *snapshot) {
	l := &p.link
	if !p.alive() || l.session != session {
		return
	}
	if l.peer.gone(p) {
		l.drop(p)
		return
	}
	p.stream.resume(data)
	p.server.disk.data = data
	l.goOn(p)
}

// goOn is the start of streaming.
func (l *link) goOn(p *process) {
	l.state, l.lost, l.heard = linked, false, p.now()
	p.stream.history = l.peer.stream.history
	p.stream.older, p.stream.olderEnd = l.peer.stream.older, l.peer.stream.olderEnd
	l.pull(p)
}

// gone reports whether p cannot hear of peer.
func (peer *process) gone(p *process) bool {
	return !peer.alive() || peer.hangs || p.server.world.cut[p.server.with(peer.server)]
}

// pull takes in what the primary has written.
func (l *link) pull(p *process) {
	if l.state != linked || l.peer.gone(p) {
		return
	}
	from := &l.peer.stream
	if from.history != p.stream.history || from.start > p.stream.offset || from.offset < p.stream.offset {
		l.drop(p)
		return
	}
	l.heard = p.now()
	for _, o := range from.since(p.stream.offset) {
		p.stream.apply(o)
	}
	if p.manual.mayStart(p) {
		p.electionCron()
	}
	p.feed()
}

// feed lets p's replicas have what is new, after a moment.
func (p *process) feed() {
	for _, r := range p.attached() {
		r.link.arrival = max(r.link.arrival, p.now()+p.server.latency()+r.server.lag)
		session := r.link.session
		r.server.after(r.link.arrival-p.now(), func() {
			if r.alive() && r.link.session == session {
				r.link.pull(r)
			}
		})
	}
}

// attached are the processes with a link to p.
func (p *process) attached() []*process {
	var replicas []*process
	for _, s := range p.server.world.servers {
		if r := s.process; r != nil && r.link.peer == p && r.link.state == linked {
			replicas = append(replicas, r)
		}
	}
	return replicas
}

func (p *process) flushReplicas() {
	for _, r := range p.attached() {
		r.link.pull(r)
	}
}

// closeLinks ends the links of p's replicas, if they are told.
func (p *process) closeLinks(told bool) {
	for _, s := range p.server.world.servers {
		r := s.process
		if r != nil && r.link.peer == p && told && !p.server.world.cut[s.with(p.server)] {
			r.link.drop(r)
		}
	}
	for _, h := range p.held {
		h.end(told)
	}
}

// replicationCron reconnects once a second, and gives signs of life.
func (p *process) replicationCron() {
	if p.ticks%10 != 0 {
		return
	}
	l := &p.link
	switch {
	case !p.self.replica:
		if p.ticks%100 == 0 && len(p.attached()) > 0 {
			p.stream.write("", "")
			p.feed()
		}
		return
	case l.state == unlinked:
		if n := p.find(p.self.primary); n != nil && n.addr.IsValid() {
			l.to(p, n.addr)
		}
	case l.state == connecting:
		l.connect(p)
	case l.state == linked:
		if p.now()-l.heard > replTimeout {
			l.drop(p)
			return
		}
		if p.server.lag == 0 {
			l.pull(p)
		}
	}
}
