package valkey

import (
	"context"
	"fmt"
)

// do sends one command.
func do(ctx context.Context, c Conn, cmd Command) Reply {
	replies := c.Do(ctx, cmd)
	if len(replies) != 1 {
		return ErrReply(fmt.Errorf("%w: %d replies to one command", ErrProtocol, len(replies)))
	}
	return replies[0]
}

// run sends one command whose answer says nothing but OK.
func run(ctx context.Context, c Conn, args ...string) error {
	return do(ctx, c, Cmd(args...)).Err()
}
