package valkeysim

import (
	"net/netip"
	"time"
)

// Ports of every server.
const (
	clientPort = 6379
	busPort    = 16379
)

// pair is two servers; nil is everybody who is not a server, such as clients
// and operators.
type pair [2]*Server

func (a *Server) with(b *Server) pair {
	if a == nil || (b != nil && b.index < a.index) {
		a, b = b, a
	}
	return pair{a, b}
}

// Cut ends all contact between a and b. Nil stands for clients and operators.
func (w *World) Cut(a, b *Server) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut[a.with(b)] = true
}

// Isolate cuts s off from every other server, but not from clients.
func (w *World) Isolate(s *Server) {
	for _, other := range w.all() {
		if other != s {
			w.Cut(s, other)
		}
	}
}

// Join ends all cuts.
func (w *World) Join() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.cut)
}

func (w *World) all() []*Server {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.servers
}

// reach returns the process that answers at ip when it is asked from a server.
// There is none if nothing listens, it hangs, or the network is cut.
func (w *World) reach(from *Server, ip netip.Addr) *process {
	p := w.running[ip]
	if p == nil || p.hangs || w.cut[from.with(p.server)] {
		return nil
	}
	return p
}

// refused reports whether somebody at ip's machine says that nothing listens.
func (w *World) refused(from *Server, ip netip.Addr) bool {
	if w.running[ip] != nil {
		return false
	}
	for _, s := range w.servers {
		if s.ip == ip {
			return !s.dark && !w.cut[from.with(s)]
		}
	}
	return false
}

// latency of one message between servers.
func (s *Server) latency() time.Duration {
	return time.Duration(200+s.chance.IntN(1800)) * time.Microsecond
}
