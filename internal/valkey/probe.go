package valkey

import (
	"context"
	"errors"
)

// Verdict is what a fresh connection found. Only [Refused] is evidence that a
// process is gone, and only together with the rest of what is known: whose
// address it is now, and what the replicas see.
type Verdict string

const (
	// Unknown: we gave up before there was anything to see.
	Unknown Verdict = "unknown"
	// Answered: a server answered, if only to refuse (no login, loading, …).
	Answered Verdict = "answered"
	// Refused: the host is there and nothing listens on the port.
	Refused Verdict = "refused"
	// Unanswered: no answer from the host. A cut network looks the same.
	Unanswered Verdict = "unanswered"
	// Unreachable: the network has no way to the host.
	Unreachable Verdict = "unreachable"
	// Hung: something accepted the connection and stays silent. The kernel
	// accepts for a process that is stopped or busy, too.
	Hung Verdict = "hung"
	// Dropped: something accepted and then closed without an answer.
	Dropped Verdict = "dropped"
	// Garbled: something answered, but not as this target should.
	Garbled Verdict = "garbled"
)

// Probe implements [Prober]: connect, then PING. The dial limit holds for the
// two together.
func (n TCP) Probe(ctx context.Context, t Target) (Verdict, error) {
	limited, cancel := context.WithTimeout(ctx, n.dialLimit())
	defer cancel()
	nc, err := n.open(limited, t.Addr)
	if err != nil {
		return judge(ctx, err, whileDialing), err
	}
	c, err := n.secure(limited, nc, t)
	if err != nil {
		return judge(ctx, err, onceAccepted), err
	}
	defer c.Close()
	if err := do(limited, c, Cmd("PING")).Err(); isBroken(err) && !errors.Is(err, ErrAuth) {
		return judge(ctx, err, onceAccepted), err
	}
	return Answered, nil
}

// What a failure means depends on whether the connection had been accepted.
var (
	whileDialing = map[error]Verdict{ErrRefused: Refused, ErrTimeout: Unanswered, ErrUnreachable: Unreachable, ErrClosed: Dropped}
	onceAccepted = map[error]Verdict{ErrTimeout: Hung, ErrClosed: Dropped, ErrTLS: Garbled, ErrProtocol: Garbled}
)

func judge(ctx context.Context, err error, verdicts map[error]Verdict) Verdict {
	var failed *NetError
	if ctx.Err() != nil || !errors.As(err, &failed) {
		return Unknown
	}
	if verdict, ok := verdicts[failed.Kind]; ok {
		return verdict
	}
	return Unknown
}
