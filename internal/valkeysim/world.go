package valkeysim

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"sync"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// Options of a World.
type Options struct {
	Seed uint64
	// Version of the servers; the zero value is 9.1.
	Version valkey.Version
	// NodeTimeout is the cluster-node-timeout that servers start with; zero
	// means 5 s.
	NodeTimeout time.Duration
	// Load is how long a server reads its data set before it takes part.
	Load time.Duration
	// Sync is how long a full synchronisation takes; zero means 100 ms.
	Sync time.Duration
}

// World is servers, the network between them, and time.
type World struct {
	mu      sync.Mutex
	options Options
	now     time.Duration
	queue   queue
	servers []*Server
	running map[netip.Addr]*process
	cut     map[pair]bool
	// collisions of configuration epochs so far.
	collisions int
}

// epoch is the time at which worlds begin, so that 0 can stand for never.
const epoch = time.Hour

// New returns a World without servers.
func New(o Options) *World {
	if o.Version == (valkey.Version{}) {
		o.Version = valkey.Version{Major: 9, Minor: 1, Patch: 2}
	}
	if o.NodeTimeout == 0 {
		o.NodeTimeout = 5 * time.Second
	}
	if o.Sync == 0 {
		o.Sync = 100 * time.Millisecond
	}
	return &World{options: o, now: epoch, running: map[netip.Addr]*process{}, cut: map[pair]bool{}}
}

// Add returns a new Server, not started, with an empty disk and an address that
// no other has.
func (w *World) Add(name string) *Server {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := &Server{
		world:   w,
		name:    name,
		index:   len(w.servers) + 1,
		version: w.options.Version,
		chance:  rand.New(rand.NewPCG(w.options.Seed, uint64(len(w.servers)+1))), // chance here must be repeatable
	}
	s.ip = s.newIP()
	w.servers = append(w.servers, s)
	return s
}

// Now is the time since the world began.
func (w *World) Now() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now - epoch
}

// Collisions is how often a server took a new configuration epoch because
// another one had its own.
func (w *World) Collisions() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.collisions
}

// Advance lets d go by, with everything that happens in it.
func (w *World) Advance(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	end := w.now + d
	for {
		e, found := w.queue.until(end)
		if !found {
			break
		}
		w.now = e.at
		e.run()
	}
	w.now = end
}

// Find returns the server that runs at addr, or nil.
func (w *World) Find(addr netip.AddrPort) *Server {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := w.running[addr.Addr()]; p != nil && addr.Port() == clientPort {
		return p.server
	}
	return nil
}

func (s *Server) newIP() netip.Addr {
	s.moves++
	return netip.AddrFrom4([4]byte{10, byte(s.index >> 8), byte(s.index), byte(s.moves)}) // small numbers
}

func (s *Server) String() string { return fmt.Sprintf("%s(%s)", s.name, s.ip) }
