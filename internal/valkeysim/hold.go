package valkeysim

import (
	"context"
	"sync"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// Hold implements [valkey.Holder].
func (w *World) Hold(ctx context.Context, t valkey.Target) (valkey.Held, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p, err := w.contact(ctx, t.Addr)
	if err != nil {
		return nil, err
	}
	h := &heldConn{conn: &conn{process: p}, lost: make(chan struct{}), ended: failedTo("held connection", t.Addr, valkey.ErrClosed)}
	p.held = append(p.held, h)
	return h, nil
}

// heldConn is a connection that is waited on.
type heldConn struct {
	*conn
	once  sync.Once
	lost  chan struct{}
	ended error
}

// end is the end of the server's process, of which the client is told or not.
func (h *heldConn) end(told bool) {
	if told {
		h.once.Do(func() { close(h.lost) })
	}
}

// Wait implements [valkey.Held]. It is our time that passes.
func (h *heldConn) Wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return failedTo("held connection", h.process.server.Addr(), valkey.ErrReleased)
	case <-h.lost:
		return h.ended
	case <-time.After(d):
		return nil
	}
}
