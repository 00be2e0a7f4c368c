package valkey

import "context"

// Network is every way in which servers are reached. [TCP] is the real one.
type Network interface {
	Dialer
	Holder
	Prober
}

// Dialer opens connections that carry commands.
type Dialer interface {
	// Dial connects and authenticates. Its errors are those listed at
	// [ErrRefused] and the following, or a [ServerError] such as [ErrAuth].
	Dial(ctx context.Context, t Target) (Conn, error)
}

// Conn is one connection to one server, used by one goroutine at a time. It
// never redials: when it breaks, every further Do fails.
type Conn interface {
	// Do sends the commands in one write and returns one reply for each. After
	// a reply whose error is not a [ServerError] it is unknown whether the
	// command was executed, and the connection is broken.
	Do(ctx context.Context, cmds ...Command) []Reply
	// Close releases the connection. It does not wait for the server.
	Close()
}

// Holder keeps silent connections, to learn at once when a server goes away.
type Holder interface {
	// Hold dials as Dial does and watches the connection until it ends.
	Hold(ctx context.Context, t Target) (Link, error)
}

// Link is one held connection.
type Link interface {
	// Lost is closed when the connection has ended.
	Lost() <-chan struct{}
	// Err says why, once Lost is closed: [ErrClosed] when the server's side
	// closed or reset it, [ErrTimeout] when its machine stopped answering (no
	// proof of anything), [ErrReleased] after Close or the end of the context
	// given to Hold. Before that it is nil.
	Err() error
	// Close ends the connection from our side.
	Close()
}

// Prober judges a server by a fresh connection, without credentials.
type Prober interface {
	// Probe reports what happened, and the error behind any verdict other
	// than [Answered].
	Probe(ctx context.Context, t Target) (Verdict, error)
}
