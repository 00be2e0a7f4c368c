package valkey

import (
	"context"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// Pool is a [Dialer] that keeps connections for reuse. Close of a connection
// it gave out puts it back, unless it broke or the login is no longer good.
//
// Connections are kept apart by address, user, credential generation and TLS
// generation. At most two wait idle for each, and none longer than the idle
// limit, so what is no longer used goes away by itself.
type Pool struct {
	dialer    Dialer
	idleLimit time.Duration

	mu     sync.Mutex
	idle   map[poolKey][]*idleConn
	closed bool
}

// maxIdle connections wait for each key: one for the reconciler and one for
// whoever asks at the same time.
const maxIdle = 2

type poolKey struct {
	addr            netip.AddrPort
	user            string
	credentials     string
	secure          bool
	tls, serverName string
}

type idleConn struct {
	conn   Conn
	expiry *time.Timer
}

// NewPool keeps connections of dialer for up to idleLimit after their last use.
func NewPool(dialer Dialer, idleLimit time.Duration) *Pool {
	return &Pool{dialer: dialer, idleLimit: idleLimit, idle: map[poolKey][]*idleConn{}}
}

var _ Dialer = (*Pool)(nil)

// Dial implements [Dialer] with an idle connection if there is a live one.
func (p *Pool) Dial(ctx context.Context, t Target) (Conn, error) {
	key := keyOf(t)
	for {
		conn := p.take(key)
		if conn == nil {
			break
		}
		if isAlive(conn) {
			return &lentConn{conn: conn, pool: p, key: key}, nil
		}
		conn.Close()
	}
	conn, err := p.dialer.Dial(ctx, t)
	if err != nil {
		return nil, err
	}
	return &lentConn{conn: conn, pool: p, key: key}, nil
}

func keyOf(t Target) poolKey {
	key := poolKey{addr: t.Addr, user: t.Credentials.Username, credentials: t.Credentials.Generation}
	if t.TLS != nil {
		key.secure, key.tls, key.serverName = true, t.TLS.Generation, t.TLS.ServerName
	}
	return key
}

// isAlive asks connections that can tell.
func isAlive(c Conn) bool {
	a, ok := c.(interface{ Alive() bool })
	return !ok || a.Alive()
}

// take removes the connection used last, or returns nil.
func (p *Pool) take(key poolKey) Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	waiting := p.idle[key]
	if len(waiting) == 0 {
		return nil
	}
	last := waiting[len(waiting)-1]
	p.remove(key, last)
	return last.conn
}

// put keeps conn, or closes it if there is no place for it.
func (p *Pool) put(key poolKey, conn Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.idle[key]) >= maxIdle {
		conn.Close()
		return
	}
	entry := &idleConn{conn: conn}
	entry.expiry = time.AfterFunc(p.idleLimit, func() { p.expire(key, entry) })
	p.idle[key] = append(p.idle[key], entry)
}

func (p *Pool) expire(key poolKey, entry *idleConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Contains(p.idle[key], entry) {
		p.remove(key, entry)
		entry.conn.Close()
	}
}

// remove takes entry out, with the lock held.
func (p *Pool) remove(key poolKey, entry *idleConn) {
	entry.expiry.Stop()
	rest := slices.DeleteFunc(p.idle[key], func(e *idleConn) bool { return e == entry })
	if len(rest) == 0 {
		delete(p.idle, key)
		return
	}
	p.idle[key] = rest
}

// CloseNode closes the idle connections to addr.
func (p *Pool) CloseNode(addr netip.AddrPort) {
	p.Prune(func(a netip.AddrPort) bool { return a != addr })
}

// Prune closes the idle connections to every address that keep refuses.
func (p *Pool) Prune(keep func(netip.AddrPort) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, waiting := range p.idle {
		if keep(key.addr) {
			continue
		}
		for _, entry := range slices.Clone(waiting) {
			p.remove(key, entry)
			entry.conn.Close()
		}
	}
}

// Close closes the idle connections, and from now on every connection that is
// put back.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.Prune(func(netip.AddrPort) bool { return false })
}
