package valkey

import (
	"context"
	"net"
)

// Hold implements [Holder]. The server closes held connections too when its
// "timeout" parameter is set or it is told to kill clients: a lost link alone
// says little.
func (n TCP) Hold(ctx context.Context, t Target) (Link, error) {
	c, err := n.dial(ctx, t)
	if err != nil {
		return nil, err
	}
	l := &tcpLink{nc: c.nc, lost: make(chan struct{})}
	stop := context.AfterFunc(ctx, l.Close)
	go func() {
		defer stop()
		defer close(l.lost)
		l.err = netError(ctx, "held connection", t.Addr, drain(c.nc))
		_ = c.nc.Close()
	}()
	return l, nil
}

// drain reads until the connection ends. Nothing is expected: only the end
// matters.
func drain(nc net.Conn) error {
	buf := make([]byte, 64)
	for {
		if _, err := nc.Read(buf); err != nil {
			return err
		}
	}
}

type tcpLink struct {
	nc   net.Conn
	lost chan struct{}
	err  error // written before lost is closed
}

func (l *tcpLink) Lost() <-chan struct{} { return l.lost }

func (l *tcpLink) Err() error {
	select {
	case <-l.lost:
		return l.err
	default:
		return nil
	}
}

func (l *tcpLink) Close() { _ = l.nc.Close() }
