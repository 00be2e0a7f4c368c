package valkey

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// Hold implements [Holder]. The server closes held connections too when its
// "timeout" parameter is set or it is told to kill clients: a lost connection
// alone says little.
func (n TCP) Hold(ctx context.Context, t Target) (Held, error) {
	c, err := n.dial(ctx, t)
	if err != nil {
		return nil, err // and no Held that holds nothing
	}
	return c, nil
}

// Wait implements [Held].
func (c *tcpConn) Wait(ctx context.Context, d time.Duration) error {
	const op = "held connection"
	if c.broken != nil {
		return c.broken
	}
	stop, err := c.arm(ctx, op, d)
	if err != nil {
		c.fail(ctx, op, err)
		return c.broken
	}
	defer stop()
	if err := c.drain(); ctx.Err() != nil || !errors.Is(err, os.ErrDeadlineExceeded) {
		c.fail(ctx, op, err)
	}
	return c.broken
}

// drain reads until the connection ends or its deadline. Nothing is expected
// to come. A server that says something before it closes has still closed it;
// one that goes on cannot be asked any more, for its replies would be mixed up.
func (c *tcpConn) drain() error {
	said := c.in.r.Buffered() > 0
	for {
		_, err := c.nc.Read(make([]byte, 64))
		switch {
		case err == nil:
			said = true
		case said && errors.Is(err, os.ErrDeadlineExceeded):
			return fmt.Errorf("%w: unasked reply", ErrProtocol)
		default:
			return err
		}
	}
}
