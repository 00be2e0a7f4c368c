package probe

import (
	"context"
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"net/netip"
	"sync"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/slots"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// Load is a client that does not look: it sets keys to new values of 1 to
// 10 KiB without a pause, one command at a time, so that it and the server that
// it waits for keep about one core busy. What fails is not tried again.
type Load struct {
	options Options
	routes  *routes
	conns   map[netip.AddrPort]valkey.Conn
	values  []byte
	stop    context.CancelFunc
	wg      sync.WaitGroup

	mu  sync.Mutex
	sum LoadReport
}

// LoadReport is what a load did.
type LoadReport struct {
	Writes, Errors int
	Bytes          int64
	Took           time.Duration
}

func (r LoadReport) String() string {
	seconds := max(r.Took.Seconds(), 0.001)
	return fmt.Sprintf("%.0f values and %.1f MiB a second, %d errors",
		float64(r.Writes)/seconds, float64(r.Bytes)/seconds/(1<<20), r.Errors)
}

const smallestValue, largestValue = 1 << 10, 10 << 10

// StartLoad begins. Of the options it heeds those about whom to write to, and
// the number and the names of keys.
func StartLoad(ctx context.Context, o Options) *Load {
	ctx, stop := context.WithCancel(ctx)
	l := &Load{options: o, routes: newRoutes(o), conns: map[netip.AddrPort]valkey.Conn{}, values: make([]byte, 2*largestValue), stop: stop}
	_, _ = rand.Read(l.values) // never fails; values that could be compressed would be a smaller load
	l.wg.Go(func() { l.run(ctx) })
	return l
}

// Stop ends the load and returns what it did.
func (l *Load) Stop() LoadReport {
	l.stop()
	l.wg.Wait()
	return l.Report()
}

// Report returns what the load did until now.
func (l *Load) Report() LoadReport {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sum
}

func (l *Load) run(ctx context.Context) {
	defer l.hangUp()
	l.routes.refresh(ctx)
	begin := time.Now()
	for ctx.Err() == nil {
		size := smallestValue + mathrand.IntN(largestValue-smallestValue+1)
		err := l.set(ctx, fmt.Sprintf("%s%d", l.options.Prefix, mathrand.IntN(l.options.Keys)), size)
		if ctx.Err() == nil {
			l.note(size, err, time.Since(begin))
		}
		if err != nil {
			l.recover(ctx)
		}
	}
}

func (l *Load) note(size int, err error, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sum.Took = took
	if err != nil {
		l.sum.Errors++
		return
	}
	l.sum.Writes++
	l.sum.Bytes += int64(size)
}

func (l *Load) set(ctx context.Context, key string, size int) error {
	conn, err := l.connect(ctx, slots.KeySlot(key))
	if err != nil {
		return err
	}
	from := mathrand.IntN(len(l.values) - size + 1)
	return conn.Do(ctx, valkey.Cmd("SET", key, string(l.values[from:from+size])))[0].Err()
}

func (l *Load) connect(ctx context.Context, slot slots.Slot) (valkey.Conn, error) {
	owner, found := l.routes.lookUp(slot)
	if !found {
		return nil, errNoOwner
	}
	if conn := l.conns[owner]; conn != nil {
		return conn, nil
	}
	conn, err := l.routes.dial(ctx, owner)
	if err == nil {
		l.conns[owner] = conn
	}
	return conn, err
}

// recover starts from nothing, which is simple, and as good after an error.
func (l *Load) recover(ctx context.Context) {
	l.hangUp()
	l.routes.refresh(ctx)
	select {
	case <-time.After(5 * time.Millisecond):
	case <-ctx.Done():
	}
}

func (l *Load) hangUp() {
	for addr, conn := range l.conns {
		conn.Close()
		delete(l.conns, addr)
	}
}
