package valkey

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// tcpConn is a [Conn] over the network. It has no goroutine of its own.
type tcpConn struct {
	nc     net.Conn
	in     decoder
	addr   netip.AddrPort
	limit  time.Duration
	broken error // why no further command can be sent
}

// login authenticates and names the connection. With a password there is no
// way on without it, not even to a server that asks for none.
func (c *tcpConn) login(ctx context.Context, who Credentials, name string) error {
	cmds := []Command{Cmd("CLIENT", "SETNAME", name)}
	if who.Username != "" || !who.Password.IsEmpty() {
		user := who.Username
		if user == "" {
			user = "default"
		}
		cmds = []Command{Cmd("AUTH", user, who.Password.Reveal()), cmds[0]}
	}
	replies := c.Do(ctx, cmds...)
	if err := replies[0].Err(); len(cmds) == 2 && err != nil {
		return err
	}
	// The name is for people; a user without the right to set one is fine.
	err := replies[len(replies)-1].Err()
	if errors.Is(err, ErrNoPerm) || errors.Is(err, ErrUnknownCommand) {
		return nil
	}
	return err
}

// Do implements [Conn].
func (c *tcpConn) Do(ctx context.Context, cmds ...Command) []Reply {
	replies := make([]Reply, len(cmds))
	answered := 0
	if c.broken == nil && c.in.r.Buffered() > 0 {
		c.fail(ctx, "idle", fmt.Errorf("%w: unasked reply", ErrProtocol))
	}
	if c.broken == nil && len(cmds) > 0 {
		answered = c.exchange(ctx, cmds, replies)
	}
	for i := answered; i < len(replies); i++ {
		replies[i] = ErrReply(c.broken)
	}
	return replies
}

// exchange sends cmds and fills in the replies that come, of which it returns
// the number. If that is not all, the connection is broken.
func (c *tcpConn) exchange(ctx context.Context, cmds []Command, replies []Reply) (answered int) {
	stop, err := c.arm(ctx, opName(cmds), longestLimit(cmds, c.limit))
	if err != nil {
		c.fail(ctx, opName(cmds), err)
		return 0
	}
	defer stop()
	// A server may refuse with a reply and close ("max number of clients")
	// before it has read what we send. So a failed write is not the end: what
	// has been said can still be read, as can a TLS alert.
	_, writeErr := c.nc.Write(encode(nil, cmds))
	for i := range replies {
		reply, err := c.in.reply()
		if err != nil {
			if writeErr != nil && errors.Is(netKind(err), ErrClosed) {
				err = writeErr
			}
			c.fail(ctx, opName(cmds), err)
			return i
		}
		replies[i] = reply
	}
	return len(replies)
}

// longAgo is a deadline that interrupts at once.
var longAgo = time.Unix(1, 0)

// arm sets the deadline of what is done next and lets the end of ctx interrupt
// it.
func (c *tcpConn) arm(ctx context.Context, op string, limit time.Duration) (stop func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	deadline := time.Now().Add(limit)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		deadline = d
	}
	if err := c.nc.SetDeadline(deadline); err != nil {
		return nil, err
	}
	disarm := context.AfterFunc(ctx, func() { _ = c.nc.SetDeadline(longAgo) })
	return func() {
		if !disarm() && c.broken == nil {
			// The interruption may still be on its way to the deadline.
			c.fail(ctx, op, ctx.Err())
			return
		}
		_ = c.nc.SetDeadline(time.Time{})
	}, nil
}

// fail breaks the connection; every command from now on gets this error.
func (c *tcpConn) fail(ctx context.Context, op string, err error) {
	c.broken = netError(ctx, op, c.addr, err)
	_ = c.nc.Close()
}

// Close implements [Conn].
func (c *tcpConn) Close() {
	if c.broken == nil {
		c.broken = &NetError{Op: "closed", Addr: c.addr, Kind: ErrReleased}
	}
	_ = c.nc.Close()
}

// Alive reports whether an idle connection is still worth using: open, and
// with nothing to read, for a server only speaks when asked.
func (c *tcpConn) Alive() bool {
	return c.broken == nil && c.in.r.Buffered() == 0 && isQuiet(c.nc)
}

// isBroken reports whether err ends the connection it came from.
func isBroken(err error) bool {
	var server *ServerError
	return err != nil && (!errors.As(err, &server) || errors.Is(err, ErrAuth))
}

func longestLimit(cmds []Command, longest time.Duration) time.Duration {
	for _, cmd := range cmds {
		longest = max(longest, cmd.Limit)
	}
	return longest
}

func opName(cmds []Command) string {
	if len(cmds) == 1 {
		return cmds[0].String()
	}
	return fmt.Sprintf("%s and %d more", cmds[0], len(cmds)-1)
}
