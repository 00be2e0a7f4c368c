package observe

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/topology"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// answerLimit is how long a server may take to answer before it is unknown in
// this pass. Servers are asked in parallel, so it is also how long the first pass
// over a cluster with a dead machine takes; see [Held.Silent] for the next.
const answerLimit = 1500 * time.Millisecond

// parallel is how many servers of one cluster are asked at the same time. It
// bounds the memory that their answers take; servers that are waited for in vain
// take none, and must not keep the rest waiting.
const parallel = 256

// Answer is what a server said, or why it could not be asked.
type Answer struct {
	Server *topology.Server
	Err    error
}

// Servers asks all targets at the same time. Servers with equal views share
// one [topology.View].
func Servers(ctx context.Context, dialer valkey.Dialer, targets map[topology.Name]valkey.Target) map[topology.Name]Answer {
	var (
		mu       sync.Mutex
		wg       sync.WaitGroup
		slots    = make(chan struct{}, parallel)
		answers  = make(map[topology.Name]Answer, len(targets))
		views    = newInterner()
		observer = &valkey.Observer{}
	)
	for name, target := range targets {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			seen, err := ask(ctx, dialer, target, observer)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				answers[name] = Answer{Err: err}
				return
			}
			answers[name] = Answer{Server: server(seen, target.Addr, views)}
		})
	}
	wg.Wait()
	return answers
}

// ask asks one server. A connection from a pool may have ended since it was
// used last, which says nothing: a fresh one tells how the server is now.
func ask(ctx context.Context, dialer valkey.Dialer, target valkey.Target, observer *valkey.Observer) (valkey.Observation, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	seen, err := askOnce(ctx, dialer, target, observer)
	if errors.Is(err, valkey.ErrClosed) {
		return askOnce(ctx, dialer, target, observer)
	}
	return seen, err
}

func askOnce(ctx context.Context, dialer valkey.Dialer, target valkey.Target, observer *valkey.Observer) (valkey.Observation, error) {
	conn, err := dialer.Dial(ctx, target)
	if err != nil {
		return valkey.Observation{}, err
	}
	defer conn.Close()
	return observer.Observe(ctx, conn)
}

// Clause says in a few words why a server could not be asked. Its words do not
// change from one pass to the next while the cause stays.
func Clause(err error) string {
	for _, c := range clauses {
		if errors.Is(err, c.err) {
			return c.words
		}
	}
	return "it cannot be reached"
}

var clauses = []struct {
	err   error
	words string
}{
	{valkey.ErrRefused, "nothing listens at its address"},
	{valkey.ErrTimeout, "it does not answer in time"},
	{context.DeadlineExceeded, "it does not answer in time"},
	{valkey.ErrAuth, "it refuses the operator's password"},
	{valkey.ErrNoPerm, "it does not permit the operator's commands"},
	{valkey.ErrMaxClients, "it has reached maxclients and takes no connection from the operator"},
	{valkey.ErrTLS, "the TLS handshake with it fails"},
	{valkey.ErrClosed, "it closes the connection"},
}
