package valkey

import (
	"context"
	"time"
)

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

// Holder opens connections that are kept, to learn at once when a server goes
// away.
type Holder interface {
	// Hold dials as Dial does.
	Hold(ctx context.Context, t Target) (Held, error)
}

// Held is a connection that somebody waits on between commands. One that is
// there already also reaches a server that has no place for another.
type Held interface {
	Conn
	// Wait lets d go by and returns nil, or returns as soon as the connection
	// has ended, and why: [ErrClosed] when the server's side closed or reset it,
	// [ErrTimeout] when its machine stopped answering (no proof of anything),
	// [ErrReleased] after the end of ctx. It is broken then.
	Wait(ctx context.Context, d time.Duration) error
}

// Prober judges a server by a fresh connection, without credentials.
type Prober interface {
	// Probe reports what happened, and the error behind any verdict other
	// than [Answered].
	Probe(ctx context.Context, t Target) (Verdict, error)
}
