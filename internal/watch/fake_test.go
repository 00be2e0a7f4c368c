package watch

import (
	"context"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// server is a Valkey server as far as a watcher can tell. It is a Network with
// one address.
type server struct {
	mu    sync.Mutex
	up    bool
	info  string
	conns []*conn
	// refusal is what a fresh connection is refused with.
	refusal error
	// ping is the answer to PING.
	ping  valkey.Reply
	asked int
	dials int
}

const nodeID = "07c37dfeb235213a872192d90877d0cd55635b91"

var addr = netip.MustParseAddrPort("10.0.0.1:6379")

func (s *server) set(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

func (s *server) count() (asked, dials int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked, s.dials
}

// dropHeld closes the connections from the server's side.
func (s *server) dropHeld() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.conns {
		c.broken = true
		close(c.lost)
	}
	s.conns = nil
}

// crash ends the process: every connection is closed, and new ones refused.
func (s *server) crash() {
	s.set(func() { s.up = false })
	s.dropHeld()
}

func (s *server) start(info string) { s.set(func() { s.up, s.info = true, info }) }

func (s *server) Hold(context.Context, valkey.Target) (valkey.Held, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dials++
	if s.refusal != nil {
		return nil, s.refusal
	}
	if !s.up {
		return nil, &valkey.NetError{Op: "dial", Addr: addr, Kind: valkey.ErrRefused, Err: syscall.ECONNREFUSED}
	}
	c := &conn{server: s, lost: make(chan struct{})}
	s.conns = append(s.conns, c)
	return c, nil
}

// conn is broken for good once its server was seen down, or closed it.
type conn struct {
	server *server
	broken bool
	lost   chan struct{}
}

var errClosed = &valkey.NetError{Op: "held connection", Addr: addr, Kind: valkey.ErrClosed}

func (c *conn) Do(_ context.Context, cmds ...valkey.Command) []valkey.Reply {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	c.server.asked++
	if c.broken {
		return []valkey.Reply{valkey.ErrReply(errClosed)}
	}
	if cmds[0].Args[0] == "PING" {
		return []valkey.Reply{c.server.ping}
	}
	replies := []valkey.Reply{valkey.TextReply(c.server.info)}
	for range cmds[1:] { // CLUSTER MYID
		replies = append(replies, valkey.TextReply(nodeID))
	}
	return replies
}

func (c *conn) Wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return &valkey.NetError{Op: "held connection", Addr: addr, Kind: valkey.ErrReleased}
	case <-c.lost:
		return errClosed
	case <-time.After(d):
		return nil
	}
}

func (c *conn) Close() {}
