package valkey

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"time"
)

// TCP reaches real servers. The zero value works.
//
// It speaks the protocol itself. A general client library was measured for
// this (valkey-go 1.0.79) and is the wrong tool for a process that dials
// addresses which may by now belong to anybody: one unasked reply, a negative
// length or deep nesting ends the whole process there (panic in its own
// goroutine, stack exhaustion), closing waits up to a second for a peer that
// hangs, and cancelling a context does not end a call that has a deadline.
// What an operator needs of the protocol is small: see encode.go, decode.go.
type TCP struct {
	// Name is what CLIENT LIST shows for our connections; empty means
	// "valkey-operator".
	Name string
	// DialLimit bounds connecting, TLS and login together; zero means 2 s.
	DialLimit time.Duration
	// ReplyLimit bounds a batch of commands that sets no limit itself; zero
	// means 3 s.
	ReplyLimit time.Duration
}

var _ Network = TCP{}

// keepAlive finds a machine that went away without a word within about 25 s.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3}

// Read buffer of one connection, of which there are thousands. Long replies pass
// it by.
const readBuffer = 512

func (n TCP) dialLimit() time.Duration  { return cmp.Or(n.DialLimit, 2*time.Second) }
func (n TCP) replyLimit() time.Duration { return cmp.Or(n.ReplyLimit, 3*time.Second) }

// Dial implements [Dialer].
func (n TCP) Dial(ctx context.Context, t Target) (Conn, error) {
	c, err := n.dial(ctx, t)
	if err != nil {
		return nil, err // and no Conn that holds nothing
	}
	return c, nil
}

func (n TCP) dial(ctx context.Context, t Target) (*tcpConn, error) {
	ctx, cancel := context.WithTimeout(ctx, n.dialLimit())
	defer cancel()
	c, err := n.connect(ctx, t)
	if err != nil {
		return nil, err
	}
	if err := c.login(ctx, t.Credentials, cmp.Or(n.Name, "valkey-operator")); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// connect dials and, if asked for, agrees on TLS.
func (n TCP) connect(ctx context.Context, t Target) (*tcpConn, error) {
	nc, err := n.open(ctx, t.Addr)
	if err != nil {
		return nil, err
	}
	return n.secure(ctx, nc, t)
}

func (n TCP) open(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
	dialer := net.Dialer{KeepAliveConfig: keepAlive}
	nc, err := dialer.DialContext(ctx, "tcp", addr.String())
	if err != nil {
		return nil, netError(ctx, "dial", addr, err)
	}
	return nc, nil
}

// secure makes a connection of nc, through TLS if t says so.
func (n TCP) secure(ctx context.Context, nc net.Conn, t Target) (*tcpConn, error) {
	if t.TLS != nil {
		var err error
		if nc, err = handshake(ctx, nc, t); err != nil {
			return nil, err
		}
	}
	return &tcpConn{nc: nc, in: decoder{r: bufio.NewReaderSize(nc, readBuffer)}, addr: t.Addr, limit: n.replyLimit()}, nil
}

func handshake(ctx context.Context, nc net.Conn, t Target) (net.Conn, error) {
	secure := tls.Client(nc, t.TLS.config(t.Addr.Addr().String()))
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = nc.Close()
		failed := netError(ctx, "TLS handshake", t.Addr, err)
		if errors.Is(failed.Kind, ErrNetwork) {
			failed.Kind = ErrTLS
		}
		return nil, failed
	}
	return secure, nil
}
