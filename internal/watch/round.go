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
	network  Network
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

// firstRetry is the pause after the first failed attempt to connect; pauses
// double up to the interval.
const firstRetry = 100 * time.Millisecond

func (r *round) run(ctx context.Context) {
	pause := firstRetry
	for ctx.Err() == nil {
		answered, err := r.follow(ctx)
		if ctx.Err() != nil {
			return
		}
		r.unreachable(err)
		if answered {
			pause = firstRetry
		}
		sleep(ctx, pause)
		pause = min(2*pause, r.interval)
	}
}

// follow connects and asks the server again and again, until it does not
// answer. It also returns whether it ever did.
func (r *round) follow(ctx context.Context) (answered bool, err error) {
	target, err := r.subject.Target(ctx, r.subject.Addr)
	if err != nil {
		return false, err
	}
	conn, err := r.network.Dial(ctx, target)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	r.id, r.asked = "", false
	for {
		if err := r.ask(ctx, conn); err != nil {
			return answered, err
		}
		if answered { // a server that drops held connections is not dialed in a tight loop
			sleep(ctx, firstRetry)
		}
		answered = true
		if err := r.hold(ctx, target, conn); err != nil {
			return answered, err
		}
	}
}

// hold asks the server at each tick for as long as a held connection lasts. It
// returns nil when that one was lost: servers close idle connections, so only
// another question tells what it means.
func (r *round) hold(ctx context.Context, target valkey.Target, conn valkey.Conn) error {
	link, err := r.network.Hold(ctx, target)
	if err != nil {
		return err
	}
	defer link.Close()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-link.Lost():
			r.closed = errors.Is(link.Err(), valkey.ErrClosed)
			return nil
		case <-time.After(jitter(r.interval)):
		}
		if err := r.ask(ctx, conn); err != nil {
			r.closed = lostToPeer(link, err)
			return err
		}
	}
}

// lostToPeer reports whether the connection that failed with err, or the one
// held beside it, was closed by the server's side.
func lostToPeer(link valkey.Link, err error) bool {
	return errors.Is(err, valkey.ErrClosed) || errors.Is(link.Err(), valkey.ErrClosed)
}

// ask asks the server about itself and tells the answer. The node ID is the
// same for as long as a connection, and is asked once.
func (r *round) ask(ctx context.Context, conn valkey.Conn) error {
	questions := []valkey.Command{valkey.Cmd("INFO", "server", "replication").Within(answerLimit)}
	if !r.asked {
		questions = append(questions, valkey.Cmd("CLUSTER", "MYID").Within(answerLimit))
	}
	replies := conn.Do(ctx, questions...)
	text, err := replies[0].Text()
	if err != nil {
		return err
	}
	o := Observation{Pod: r.subject.Pod, Addr: r.subject.Addr, Reachable: true}
	if err := o.read(valkey.ParseInfo(text)); err != nil {
		return err
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
