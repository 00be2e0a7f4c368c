package probe

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/slots"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// writer appends numbers to one key, which is a list.
type writer struct {
	key     string
	slot    slots.Slot
	options Options
	routes  *routes
	begun   chan struct{}

	conns map[netip.AddrPort]valkey.Conn
	at    netip.AddrPort // whose connection was used last

	mu           sync.Mutex
	sum          Report
	acknowledged []int
	last         time.Time
}

func newWriter(key string, o Options, r *routes) *writer {
	return &writer{key: key, slot: slots.KeySlot(key), options: o, routes: r, begun: make(chan struct{}), conns: map[netip.AddrPort]valkey.Conn{}}
}

func (w *writer) run(ctx context.Context) {
	tick := time.NewTicker(w.options.Every)
	defer tick.Stop()
	defer w.hangUpAll()
	for n := 0; ctx.Err() == nil; n++ {
		err := w.persist(ctx, n)
		if ctx.Err() != nil {
			return // whether it was written is not known, so nothing is claimed
		}
		w.note(n, err)
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

func (w *writer) note(n int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.sum.Failed++
		w.sum.LastError = err
		return
	}
	now := time.Now()
	if w.sum.Acknowledged == 0 {
		close(w.begun)
	} else {
		w.sum.gap(now.Sub(w.last), now)
	}
	w.last = now
	w.sum.Acknowledged++
	w.acknowledged = append(w.acknowledged, n)
}

func (w *writer) report() Report {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.sum
	if r.Acknowledged > 0 {
		now := time.Now()
		r.gap(now.Sub(w.last), now)
	}
	return r
}

// gap notes a gap if it is the longest one.
func (r *Report) gap(lasted time.Duration, end time.Time) {
	if lasted > r.LongestGap {
		r.LongestGap, r.GapEnd = lasted, end
	}
}

// persist writes until it is acknowledged or patience ends. A write that is
// tried again may be there twice, which is no loss. As clients do, it follows a
// redirection at once, and otherwise asks for a new map.
func (w *writer) persist(ctx context.Context, n int) error {
	ctx, cancel := context.WithTimeout(ctx, w.options.Patience)
	defer cancel()
	for redirections := 0; ; redirections++ {
		err := w.write(ctx, n)
		if err == nil || ctx.Err() != nil {
			return err
		}
		if owner, moved := movedTo(err); moved && redirections%mostRedirections < mostRedirections-1 {
			w.routes.moved(w.slot, owner)
			continue
		}
		w.hangUp()
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return err
		}
		w.routes.refresh(ctx)
	}
}

// mostRedirections is how many servers may send a writer to each other before it
// asks for a new map.
const mostRedirections = 4

// movedTo returns where a server sends a client whose slot it does not own.
func movedTo(err error) (owner netip.AddrPort, moved bool) {
	refusal, ok := errors.AsType[*valkey.ServerError](err)
	if !ok || refusal.Code != "MOVED" {
		return netip.AddrPort{}, false
	}
	_, addr, _ := strings.Cut(refusal.Message, " ")
	owner, err = netip.ParseAddrPort(addr)
	return owner, err == nil
}

func (w *writer) write(ctx context.Context, n int) error {
	if err := w.connect(ctx); err != nil {
		return err
	}
	cmds := []valkey.Command{valkey.Cmd("RPUSH", w.key, strconv.Itoa(n))}
	if w.options.Wait > 0 {
		cmds = append(cmds, valkey.Cmd("WAIT", strconv.Itoa(w.options.Wait), "1000"))
	}
	replies := w.conns[w.at].Do(ctx, cmds...)
	if err := replies[0].Err(); err != nil {
		return err
	}
	if w.options.Wait == 0 {
		return nil
	}
	have, err := replies[1].Int()
	if err == nil && have < int64(w.options.Wait) {
		err = fmt.Errorf("%d replicas have the write, want %d", have, w.options.Wait)
	}
	return err
}

// connect sees to a connection to the owner of the slot. Those to other servers
// stay.
func (w *writer) connect(ctx context.Context) error {
	owner, err := w.routes.ownerOf(ctx, w.slot)
	if err != nil {
		return err
	}
	if w.conns[owner] == nil {
		conn, err := w.routes.dial(ctx, owner)
		if err != nil {
			return err
		}
		w.conns[owner] = conn
	}
	w.at = owner
	return nil
}

// hangUp ends the connection that was used last.
func (w *writer) hangUp() {
	if conn := w.conns[w.at]; conn != nil {
		conn.Close()
		delete(w.conns, w.at)
	}
}

func (w *writer) hangUpAll() {
	for w.at = range w.conns {
		w.hangUp()
	}
}

// missing returns the acknowledged numbers that the key does not hold.
func (w *writer) missing(ctx context.Context) ([]int, error) {
	there := map[int]bool{}
	err := w.retry(ctx, func() error {
		items, err := w.conns[w.at].Do(ctx, valkey.Cmd("LRANGE", w.key, "0", "-1").Within(time.Minute))[0].Texts()
		for _, item := range items {
			n, err := strconv.Atoi(item)
			if err != nil {
				return err
			}
			there[n] = true
		}
		return err
	})
	var missing []int
	for _, n := range w.acknowledged {
		if !there[n] {
			missing = append(missing, n)
		}
	}
	return missing, err
}

func (w *writer) retry(ctx context.Context, read func() error) error {
	defer w.hangUpAll()
	var err error
	for range 100 {
		if err = w.connect(ctx); err == nil {
			if err = read(); err == nil {
				return nil
			}
		}
		w.hangUp()
		w.routes.refresh(ctx)
		time.Sleep(50 * time.Millisecond)
	}
	return err
}
