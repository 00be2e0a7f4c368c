package valkeysim

import (
	"context"
	"net/netip"
	"strings"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

var _ valkey.Network = (*World)(nil)

// Dial implements [valkey.Dialer]. Waiting for somebody who does not answer
// takes no time.
func (w *World) Dial(ctx context.Context, t valkey.Target) (valkey.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p, err := w.contact(ctx, t.Addr)
	if err != nil {
		return nil, err
	}
	return &conn{process: p}, nil
}

// contact finds the process that takes a client's connection at addr.
func (w *World) contact(ctx context.Context, addr netip.AddrPort) (*process, error) {
	if err := ctx.Err(); err != nil {
		return nil, failedTo("dial", addr, valkey.ErrReleased)
	}
	if addr.Port() != clientPort || w.refused(nil, addr.Addr()) {
		return nil, failedTo("dial", addr, valkey.ErrRefused)
	}
	p := w.reach(nil, addr.Addr())
	if p == nil {
		return nil, failedTo("dial", addr, valkey.ErrTimeout)
	}
	return p, nil
}

func failedTo(op string, addr netip.AddrPort, kind error) error {
	return &valkey.NetError{Op: op, Addr: addr, Kind: kind}
}

// Local dials s from its own machine, which no cut in the network affects.
func (w *World) Local(s *Server) (valkey.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch p := s.process; {
	case p == nil:
		return nil, failedTo("dial", s.Addr(), valkey.ErrRefused)
	case p.hangs:
		return nil, failedTo("dial", s.Addr(), valkey.ErrTimeout)
	default:
		return &conn{process: p, local: true}, nil
	}
}

// conn is a client's connection to one process.
type conn struct {
	process *process
	local   bool // from the same machine
	closed  bool
	// queued are the commands of a transaction that was begun; nil is none.
	queued []valkey.Command
}

// Do implements [valkey.Conn].
func (c *conn) Do(_ context.Context, cmds ...valkey.Command) []valkey.Reply {
	w := c.process.server.world
	w.mu.Lock()
	defer w.mu.Unlock()
	replies := make([]valkey.Reply, len(cmds))
	for i, cmd := range cmds {
		replies[i] = c.one(cmd)
	}
	return replies
}

func (c *conn) one(cmd valkey.Command) valkey.Reply {
	p := c.process
	switch {
	case c.closed:
		return valkey.ErrReply(failedTo(cmd.String(), p.server.Addr(), valkey.ErrReleased))
	case !p.alive():
		return valkey.ErrReply(failedTo(cmd.String(), p.server.Addr(), valkey.ErrClosed))
	case p.hangs || !c.local && p.server.world.cut[pair{nil, p.server}]:
		return valkey.ErrReply(failedTo(cmd.String(), p.server.Addr(), valkey.ErrTimeout))
	}
	return c.transact(cmd)
}

// transact carries out a command, or queues it in a transaction.
func (c *conn) transact(cmd valkey.Command) valkey.Reply {
	switch name := strings.ToUpper(cmd.Args[0]); {
	case name == "MULTI":
		c.queued = []valkey.Command{}
		return ok
	case c.queued == nil:
		return c.process.command(cmd.Args)
	case name != "EXEC":
		c.queued = append(c.queued, cmd)
		return valkey.TextReply("QUEUED")
	}
	replies := make([]valkey.Reply, len(c.queued))
	for i, queued := range c.queued {
		replies[i] = c.process.command(queued.Args)
	}
	c.queued = nil
	return valkey.ListReply(replies...)
}

// Close implements [valkey.Conn].
func (c *conn) Close() { c.closed = true }

// Probe implements [valkey.Prober].
func (w *World) Probe(ctx context.Context, t valkey.Target) (valkey.Verdict, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := w.running[t.Addr.Addr()]; p != nil && p.hangs && !w.cut[pair{nil, p.server}] {
		return valkey.Hung, failedTo("PING", t.Addr, valkey.ErrTimeout)
	}
	switch _, err := w.contact(ctx, t.Addr); {
	case err == nil:
		return valkey.Answered, nil
	case w.refused(nil, t.Addr.Addr()):
		return valkey.Refused, err
	case ctx.Err() != nil:
		return valkey.Unknown, err
	default:
		return valkey.Unanswered, err
	}
}
