package watch

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// round watches one server until its context ends.
type round struct {
	network  valkey.Holder
	interval time.Duration
	subject  Subject
	tell     func(Observation)

	closed bool // the server's side closed a held connection, and has not answered since
	// id of the server at the other end of the connection, once it was asked.
	id    valkey.NodeID
	asked bool
}

// answerLimit is how long a server may take to answer before it counts as
// unreachable.
const answerLimit = 1500 * time.Millisecond

// dialLimit is how long it may take to connect. Where a connection was just
// closed by the server's side, the fresh one may take freshLimit: what that means
// is waited for.
const (
	dialLimit  = 2 * time.Second
	freshLimit = 300 * time.Millisecond
)

// firstRetry is the pause after the first failed attempt to connect; pauses
// double up to the interval.
const firstRetry = 100 * time.Millisecond

// run keeps one connection to the server, which tells at once when it is closed
// and carries a question at each tick. It is one of few, so that a server that is
// full of clients can still be asked.
func (r *round) run(ctx context.Context) {
	pause := firstRetry
	var again time.Time
	for ctx.Err() == nil {
		err := r.follow(ctx, dialLimit)
		for errors.Is(err, errDropped) { // servers close idle connections: only a fresh one tells how they are
			sleep(ctx, time.Until(again)) // one that drops every connection is not dialed in a tight loop
			again = time.Now().Add(firstRetry)
			err = r.follow(ctx, freshLimit)
			pause = firstRetry
		}
		if ctx.Err() != nil {
			return
		}
		if r.asked {
			pause = firstRetry
		}
		r.unreachable(err)
		sleep(ctx, pause)
		pause = min(2*pause, r.interval)
	}
}

// errDropped is a connection on which the server answered and that it then
// closed.
var errDropped = errors.New("dropped by the server")

// follow connects and asks the server again and again, until it does not
// answer, and returns why.
func (r *round) follow(ctx context.Context, limit time.Duration) error {
	r.id, r.asked = "", false
	conn, err := r.connect(ctx, limit)
	if err != nil {
		return err
	}
	defer conn.Close()
	for {
		err := r.ask(ctx, conn)
		if err == nil {
			err = conn.Wait(ctx, jitter(r.interval))
		}
		switch {
		case err == nil:
		case r.asked && errors.Is(err, valkey.ErrClosed):
			r.closed = true
			return errDropped
		default:
			return err
		}
	}
}

func (r *round) connect(ctx context.Context, limit time.Duration) (valkey.Held, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	target, err := r.subject.Target(ctx, r.subject.Addr)
	if err != nil {
		return nil, err
	}
	return r.network.Hold(ctx, target)
}

// ask asks the server about itself and tells the answer. The node ID is the
// same for as long as a connection, and is asked once.
func (r *round) ask(ctx context.Context, conn valkey.Held) error {
	questions := []valkey.Command{valkey.Cmd("INFO", "server", "replication", "persistence").Within(answerLimit)}
	if !r.asked {
		questions = append(questions, valkey.Cmd("CLUSTER", "MYID").Within(answerLimit))
	}
	replies := conn.Do(ctx, questions...)
	text, err := replies[0].Text()
	if err != nil {
		return err
	}
	o := Observation{Pod: r.subject.Pod, Addr: r.subject.Addr, Reachable: true}
	failing, err := o.read(valkey.ParseInfo(text))
	if err != nil {
		return err
	}
	if failing {
		if o.SaveError, err = saveError(ctx, conn); err != nil {
			return err
		}
	}
	if !r.asked { // a server that is not in cluster mode refuses
		id, _ := replies[1].Text()
		r.id, r.asked = valkey.NodeID(id), true
	}
	o.NodeID = r.id
	r.closed = false
	r.tell(o)
	return nil
}

// saveError returns why the server cannot save. A primary that takes no writes
// for that reason says so to whoever pings it; others tell only their log.
func saveError(ctx context.Context, conn valkey.Held) (string, error) {
	err := conn.Do(ctx, valkey.Cmd("PING").Within(answerLimit))[0].Err()
	refusal, refused := errors.AsType[*valkey.ServerError](err)
	switch {
	case refused && refusal.Code == "MISCONF":
		return refusal.Error(), nil
	case err != nil && !refused:
		return "", err
	}
	return "the last attempt failed; its log says why", nil
}

func (r *round) unreachable(err error) {
	r.tell(Observation{Pod: r.subject.Pod, Addr: r.subject.Addr, Err: err, Closed: r.closed})
}

// jitter spreads the questions to many servers over time.
func jitter(d time.Duration) time.Duration {
	return d - d/10 + rand.N(d/5+1) //nolint:gosec // nobody gains by guessing it
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
