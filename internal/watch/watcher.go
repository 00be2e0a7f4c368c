package watch

import (
	"context"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// Key names a watched server: the namespace and name of its ValkeyNode.
type Key struct{ Namespace, Name string }

// Subject is a server to watch.
type Subject struct {
	// Pod is the UID of the pod that the server runs in.
	Pod string
	// Addr is where the server answers.
	Addr netip.AddrPort
	// Target adds the login to the address. It is asked at each connection
	// attempt, so that nothing keeps a password.
	Target func(ctx context.Context, addr netip.AddrPort) (valkey.Target, error)
}

func (s Subject) sameServer(t Subject) bool { return s.Pod == t.Pod && s.Addr == t.Addr }

// Watcher watches any number of servers. It may be used by several goroutines.
type Watcher struct {
	network  valkey.Holder
	interval time.Duration

	base  context.Context
	close context.CancelFunc
	wg    sync.WaitGroup

	mu          sync.Mutex
	watched     map[Key]*watched
	subscribers []func(Key, Observation)
}

// watched is one server: what to watch, and what was seen last.
type watched struct {
	subject Subject
	stop    context.CancelFunc
	last    Observation
	seen    bool
}

// Interval is the usual time between two questions to a server: with it, a
// change is known within two seconds.
const Interval = 1600 * time.Millisecond

// New returns a Watcher that asks each server once in about every interval.
func New(network valkey.Holder, interval time.Duration) *Watcher {
	base, cancel := context.WithCancel(context.Background())
	return &Watcher{network: network, interval: interval, base: base, close: cancel, watched: map[Key]*watched{}}
}

// Start runs until ctx ends, and then ends every watch.
func (w *Watcher) Start(ctx context.Context) error {
	<-ctx.Done()
	w.close()
	w.wg.Wait()
	return nil
}

// Subscribe has f called with each change, from the goroutine that saw it: f
// must return at once. Subscriptions are made before the first watch.
func (w *Watcher) Subscribe(f func(Key, Observation)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.subscribers = append(w.subscribers, f)
}

// Watch starts to watch a server under the key, in place of another pod's or
// address's that was watched under it, and reports whether it did. Watching what
// is watched changes nothing. Subscribers hear within seconds what came of the
// first question.
func (w *Watcher) Watch(key Key, s Subject) (begun bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := w.watched[key]; now != nil {
		if now.subject.sameServer(s) {
			return false
		}
		now.stop()
	}
	ctx, stop := context.WithCancel(w.base)
	now := &watched{subject: s, stop: stop}
	w.watched[key] = now
	round := &round{network: w.network, interval: w.interval, subject: s, tell: func(o Observation) { w.tell(key, now, o) }}
	w.wg.Go(func() { round.run(ctx) })
	return true
}

// Stop ends the watch under the key.
func (w *Watcher) Stop(key Key) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := w.watched[key]; now != nil {
		now.stop()
		delete(w.watched, key)
	}
}

// Last returns what was observed last of the server that is watched under the
// key; false before there is anything.
func (w *Watcher) Last(key Key) (Observation, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.watched[key]
	if now == nil || !now.seen {
		return Observation{}, false
	}
	return now.last, true
}

// ReplicasOf returns the keys of the servers whose primary is at a host that
// matches.
func (w *Watcher) ReplicasOf(matches func(host string) bool) []Key {
	w.mu.Lock()
	defer w.mu.Unlock()
	var keys []Key
	for key, now := range w.watched {
		if host := now.last.Primary.Host; host != "" && matches(host) {
			keys = append(keys, key)
		}
	}
	return keys
}

// tell keeps o and calls the subscribers if it means something. A watch that
// was replaced meanwhile has nothing to say any more.
func (w *Watcher) tell(key Key, from *watched, o Observation) {
	w.mu.Lock()
	if w.watched[key] != from || (from.seen && from.last.sameAs(o)) {
		w.mu.Unlock()
		return
	}
	from.last, from.seen = o, true
	subscribers := slices.Clone(w.subscribers)
	w.mu.Unlock()
	for _, f := range subscribers {
		f(key, o)
	}
}
