package watch

import (
	"context"
	"net/netip"
	"sync"
	"syscall"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// server is a Valkey server as far as a watcher can tell. It is a Network with
// one address.
type server struct {
	mu    sync.Mutex
	up    bool
	info  string
	links []*link
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

// dropHeld closes the held connections from the server's side.
func (s *server) dropHeld() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.links {
		l.end(valkey.ErrClosed)
	}
	s.links = nil
}

// crash ends the process: every connection is closed, and new ones refused.
func (s *server) crash() {
	s.set(func() { s.up = false })
	s.dropHeld()
}

func (s *server) start(info string) { s.set(func() { s.up, s.info = true, info }) }

func (s *server) Dial(context.Context, valkey.Target) (valkey.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dials++
	if !s.up {
		return nil, &valkey.NetError{Op: "dial", Addr: addr, Kind: valkey.ErrRefused, Err: syscall.ECONNREFUSED}
	}
	return &conn{server: s}, nil
}

func (s *server) Hold(ctx context.Context, t valkey.Target) (valkey.Link, error) {
	if _, err := s.Dial(ctx, t); err != nil {
		return nil, err
	}
	l := &link{lost: make(chan struct{})}
	s.set(func() { s.links = append(s.links, l) })
	return l, nil
}

// conn is broken for good once its server was seen down.
type conn struct {
	server *server
	broken bool
}

func (c *conn) Do(_ context.Context, cmds ...valkey.Command) []valkey.Reply {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	c.server.asked += len(cmds)
	c.broken = c.broken || !c.server.up
	if c.broken {
		return []valkey.Reply{valkey.ErrReply(&valkey.NetError{Op: "INFO", Addr: addr, Kind: valkey.ErrClosed})}
	}
	replies := []valkey.Reply{valkey.TextReply(c.server.info)}
	for range cmds[1:] { // CLUSTER MYID
		replies = append(replies, valkey.TextReply(nodeID))
	}
	return replies
}

func (c *conn) Close() {}

type link struct {
	once sync.Once
	lost chan struct{}
	err  error
}

func (l *link) end(err error) {
	l.once.Do(func() {
		l.err = err
		close(l.lost)
	})
}

func (l *link) Lost() <-chan struct{} { return l.lost }

func (l *link) Err() error {
	select {
	case <-l.lost:
		return l.err
	default:
		return nil
	}
}

func (l *link) Close() { l.end(valkey.ErrReleased) }
