package valkeysim

import (
	"maps"
	"slices"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// Disk is what outlives a process. Its parts are never changed in place, so a
// copy is a backup.
type Disk struct {
	conf *conf     // nodes.conf; nil is missing or of 0 bytes
	data *snapshot // the data set; nil is none
	// Corrupt is a nodes.conf that the server refuses to start with.
	Corrupt bool
}

// Nobody is the ID of no server, whose replica a server is that has lost its
// identity.
const Nobody valkey.NodeID = "0000000000000000000000000000000000000000"

// conf is the content of nodes.conf.
type conf struct {
	self                   valkey.NodeID
	nodes                  []node
	currentEpoch, lastVote uint64
}

// snapshot is a data set at one point of a history.
type snapshot struct {
	keys    map[string]string
	history string
	offset  int64
}

// HasConf reports whether there is a nodes.conf.
func (d Disk) HasConf() bool { return d.conf != nil }

// WithoutConf is d with a missing or empty nodes.conf.
func (d Disk) WithoutConf() Disk {
	d.conf = nil
	return d
}

// WithoutData is d with no data set.
func (d Disk) WithoutData() Disk {
	d.data = nil
	return d
}

// WithConfCut is d with a nodes.conf that was cut off behind the server's own
// line.
func (d Disk) WithConfCut() Disk {
	if d.conf == nil {
		return d
	}
	i := slices.IndexFunc(d.conf.nodes, func(n node) bool { return n.id == d.conf.self })
	d.conf = &conf{self: d.conf.self, nodes: []node{d.conf.nodes[i]}}
	return d
}

// WithReplicaOutranked is d with a nodes.conf in which a replica is a primary of
// its shard with a configuration epoch above all others: one of another shard, if
// there is one. It returns false if no other server is a replica.
func (d Disk) WithReplicaOutranked() (Disk, bool) {
	if d.conf == nil {
		return d, false
	}
	best, highest, own := -1, uint64(0), d.conf.self
	for _, n := range d.conf.nodes {
		if highest = max(highest, n.epoch); n.id == d.conf.self && n.replica {
			own = n.primary
		}
	}
	for i, n := range d.conf.nodes {
		if n.replica && n.id != d.conf.self && (best < 0 || n.primary != own) {
			best = i
		}
	}
	if best < 0 {
		return d, false
	}
	c := *d.conf
	c.nodes = slices.Clone(c.nodes)
	n := &c.nodes[best]
	n.replica, n.shard, n.primary, n.epoch = false, n.primary, "", highest+10
	d.conf = &c
	return d, true
}

// Renewed is d with a nodes.conf of a new ID, which is a replica of nobody; the
// start of the pod writes one when the old one is of no use.
func (d Disk) Renewed(id valkey.NodeID) Disk {
	d.Corrupt, d.conf = false, &conf{self: id, nodes: []node{{id: id, replica: true, primary: Nobody}, {id: Nobody}}}
	return d
}

// NewID draws an ID as a server does that has none.
func (s *Server) NewID() valkey.NodeID {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	return s.newID()
}

// WithConfOf is d with the nodes.conf of other.
func (d Disk) WithConfOf(other Disk) Disk {
	d.conf, d.Corrupt = other.conf, other.Corrupt
	return d
}

// Value is what a saved data set has for key.
func (d Disk) Value(key string) (string, bool) {
	if d.data == nil {
		return "", false
	}
	v, found := d.data.keys[key]
	return v, found
}

// Disk is a copy of what is on the disk now.
func (s *Server) Disk() Disk {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	d := s.disk
	if s.process != nil {
		d.conf = s.process.conf()
	}
	return d
}

// SetDisk replaces the content of the disk of a stopped server.
func (s *Server) SetDisk(d Disk) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	if s.process != nil {
		panic("valkeysim: changing the disk under a running server")
	}
	s.disk = d
}

func (p *process) conf() *conf {
	c := &conf{self: p.self.id, currentEpoch: p.currentEpoch, lastVote: p.lastVote}
	for _, n := range p.nodes {
		if !n.handshake {
			c.nodes = append(c.nodes, n.saved())
		}
	}
	return c
}

func (p *process) save() {
	p.server.disk.data = p.stream.snapshot()
}

func (s *stream) snapshot() *snapshot {
	return &snapshot{keys: maps.Clone(s.keys), history: s.history, offset: s.offset}
}

// restore takes over what the disk holds.
func (p *process) restore(d Disk) {
	if d.conf != nil {
		p.currentEpoch, p.lastVote = d.conf.currentEpoch, d.conf.lastVote
		for _, saved := range slices.Clone(d.conf.nodes) {
			n := &saved
			n.reports = map[valkey.NodeID]instant{}
			p.currentEpoch = max(p.currentEpoch, n.epoch)
			if n.failed {
				n.failedAt = p.now()
			}
			p.add(n)
			if n.id == d.conf.self {
				p.self = n
			}
		}
	}
	if d.data != nil {
		p.stream.resume(d.data)
	}
}
