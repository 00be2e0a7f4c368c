package valkey

import "context"

// lentConn is a connection of a [Pool] in somebody's hands.
type lentConn struct {
	conn   Conn // nil once given back
	pool   *Pool
	key    poolKey
	broken bool
}

// Do implements [Conn] and notes whether the connection may be used again.
func (l *lentConn) Do(ctx context.Context, cmds ...Command) []Reply {
	if l.conn == nil {
		return refuseAll(cmds, &NetError{Op: "given back", Addr: l.key.addr, Kind: ErrReleased})
	}
	replies := l.conn.Do(ctx, cmds...)
	for _, reply := range replies {
		l.broken = l.broken || isBroken(reply.Err())
	}
	return replies
}

// Close gives the connection back.
func (l *lentConn) Close() {
	switch {
	case l.conn == nil:
		return
	case l.broken:
		l.conn.Close()
	default:
		l.pool.put(l.key, l.conn)
	}
	l.conn = nil
}

func refuseAll(cmds []Command, err error) []Reply {
	replies := make([]Reply, len(cmds))
	for i := range replies {
		replies[i] = ErrReply(err)
	}
	return replies
}
