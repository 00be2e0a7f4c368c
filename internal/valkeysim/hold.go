package valkeysim

import (
	"context"
	"sync"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// Hold implements [valkey.Holder].
func (w *World) Hold(ctx context.Context, t valkey.Target) (valkey.Link, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p, err := w.contact(ctx, t.Addr)
	if err != nil {
		return nil, err
	}
	h := &heldLink{lost: make(chan struct{}), ended: failedTo("held connection", t.Addr, valkey.ErrClosed)}
	p.held = append(p.held, h)
	context.AfterFunc(ctx, h.Close)
	return h, nil
}

// heldLink is a connection that is only watched.
type heldLink struct {
	once  sync.Once
	lost  chan struct{}
	ended error
	err   error // written before lost is closed
}

// end is the end of the server's process, of which the client is told or not.
func (h *heldLink) end(told bool) {
	if told {
		h.finish(h.ended)
	}
}

func (h *heldLink) finish(err error) {
	h.once.Do(func() {
		h.err = err
		close(h.lost)
	})
}

// Lost implements [valkey.Link].
func (h *heldLink) Lost() <-chan struct{} { return h.lost }

// Err implements [valkey.Link].
func (h *heldLink) Err() error {
	select {
	case <-h.lost:
		return h.err
	default:
		return nil
	}
}

// Close implements [valkey.Link].
func (h *heldLink) Close() { h.finish(valkey.ErrReleased) }
