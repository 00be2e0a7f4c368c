package valkeysim

import (
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// Server is a machine with an address and a disk, on which a process runs or
// does not.
type Server struct {
	world   *World
	name    string
	index   int // from 1
	version valkey.Version
	chance  *rand.Rand
	events  uint64
	moves   int
	ip      netip.Addr
	disk    Disk
	process *process
	// dark is true when the machine itself is gone: nobody says that nothing
	// listens.
	dark bool
	lag  time.Duration
}

// Addr is where the server serves clients.
func (s *Server) Addr() netip.AddrPort { return netip.AddrPortFrom(s.ip, clientPort) }

// Running reports whether there is a process.
func (s *Server) Running() bool {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	return s.process != nil
}

// SetVersion is the version that the server has from its next start on.
func (s *Server) SetVersion(v valkey.Version) { s.version = v }

// Start starts the process from what is on the disk. It returns false if the
// server does not come up with that.
func (s *Server) Start() bool {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	if s.process != nil {
		return true
	}
	s.dark = false
	if s.disk.Corrupt { // facts 10
		return false
	}
	s.process = newProcess(s)
	s.world.running[s.ip] = s.process
	s.process.schedule()
	return true
}

// Kill ends the process at once. What was not saved is lost; the cluster's
// configuration is always saved.
func (s *Server) Kill() {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	s.end(true)
}

// Lose is Kill with the machine: nobody notices but by time.
func (s *Server) Lose() {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	s.dark = true
	s.end(false)
}

// Stop ends the process cleanly: replicas get what they miss, and the data set
// is saved (facts 8, 9).
func (s *Server) Stop() {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	if p := s.process; p != nil && !p.hangs && !p.loading() {
		p.flushReplicas()
		p.save()
	}
	s.end(true)
}

// Save writes the data set to the disk.
func (s *Server) Save() {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	if s.process != nil && !s.process.loading() {
		s.process.save()
	}
}

// Hang stops the process without ending it; Wake lets it go on.
func (s *Server) Hang() { s.hang(true) }

// Wake lets a hanging process go on.
func (s *Server) Wake() { s.hang(false) }

func (s *Server) hang(yes bool) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	if s.process != nil {
		s.process.hangs = yes
	}
}

// Lag delays everything that the server gets as a replica.
func (s *Server) Lag(d time.Duration) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	s.lag = d
}

// Move gives a stopped server an address that nobody had before.
func (s *Server) Move() { s.MoveTo(s.newIP()) }

// MoveTo gives a stopped server the address ip, which another one may have had.
func (s *Server) MoveTo(ip netip.Addr) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	if s.process != nil || s.world.running[ip] != nil {
		panic("valkeysim: moving a server that runs, or to where one runs")
	}
	s.ip = ip
}

// end removes the process. Peers notice at once when the kernel tells them.
func (s *Server) end(told bool) {
	p := s.process
	if p == nil {
		return
	}
	s.disk.conf = p.conf()
	s.process = nil
	delete(s.world.running, s.ip)
	if told {
		s.world.hungUp(p)
	}
	p.closeLinks(told)
}

// World is where s stands.
func (s *Server) World() *World { return s.world }
