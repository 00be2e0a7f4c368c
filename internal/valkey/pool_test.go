package valkey

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// counting is a Dialer whose connections do what the test wants next.
type counting struct {
	mu     sync.Mutex
	dialed int
	open   int
	refuse error
	next   error // what the next command ends with
	dead   bool  // idle connections have died
}

type countedConn struct {
	d      *counting
	closed bool
}

func (d *counting) Dial(context.Context, Target) (Conn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.refuse != nil {
		return nil, d.refuse
	}
	d.dialed, d.open = d.dialed+1, d.open+1
	return &countedConn{d: d}, nil
}

func (c *countedConn) Do(_ context.Context, cmds ...Command) []Reply {
	if c.d.next != nil {
		return refuseAll(cmds, c.d.next)
	}
	return refuseNone(cmds)
}

func refuseNone(cmds []Command) []Reply {
	replies := make([]Reply, len(cmds))
	for i := range replies {
		replies[i] = okReply
	}
	return replies
}

func (c *countedConn) Alive() bool { return !c.d.dead }

func (c *countedConn) Close() {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	if c.closed {
		panic("closed twice")
	}
	c.closed = true
	c.d.open--
}

func (d *counting) want(t *testing.T, when string, dialed, open int) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dialed != dialed || d.open != open {
		t.Errorf("%s: %d dialed, %d open; want %d and %d", when, d.dialed, d.open, dialed, open)
	}
}

var pooled = Target{Addr: netip.MustParseAddrPort("10.0.0.1:6379"), Credentials: Credentials{Username: "op", Generation: "1"}}

// use dials, sends one command and gives back.
func use(t *testing.T, p *Pool, target Target) {
	t.Helper()
	c, err := p.Dial(context.Background(), target)
	if err != nil {
		t.Fatal(err)
	}
	c.Do(context.Background(), Cmd("PING"))
	c.Close()
	c.Close() // harmless
}

func newPool(t *testing.T) (*Pool, *counting) {
	d := &counting{}
	p := NewPool(d, time.Minute)
	t.Cleanup(p.Close)
	return p, d
}

func TestPoolReuses(t *testing.T) {
	p, d := newPool(t)
	for range 5 {
		use(t, p, pooled)
	}
	d.want(t, "five in turn", 1, 1)
	a, _ := p.Dial(context.Background(), pooled)
	b, _ := p.Dial(context.Background(), pooled)
	c, _ := p.Dial(context.Background(), pooled)
	d.want(t, "three at once", 3, 3)
	a.Close()
	b.Close()
	c.Close()
	d.want(t, "three given back", 3, maxIdle)
}

func TestPoolKeepsLoginsApart(t *testing.T) {
	p, d := newPool(t)
	with := func(change func(*Target)) Target {
		target := pooled
		change(&target)
		return target
	}
	for i, target := range []Target{
		pooled,
		with(func(t *Target) { t.Addr = netip.MustParseAddrPort("10.0.0.2:6379") }),
		with(func(t *Target) { t.Credentials.Username = "other" }),
		with(func(t *Target) { t.Credentials.Generation = "2" }),
		with(func(t *Target) { t.TLS = &TLS{} }),
		with(func(t *Target) { t.TLS = &TLS{Generation: "2"} }),
		with(func(t *Target) { t.TLS = &TLS{Generation: "2", ServerName: "a"} }),
	} {
		use(t, p, target)
		use(t, p, target)
		d.want(t, target.String(), i+1, i+1)
	}
}

func TestPoolDiscards(t *testing.T) {
	for name, test := range map[string]struct {
		end  error
		open int
	}{
		"a refused command": {NewServerError("ERR no"), 1},
		"a loading server":  {NewServerError("LOADING x"), 1},
		"a lost login":      {NewServerError("NOAUTH Authentication required."), 0},
		"a timeout":         {&NetError{Kind: ErrTimeout}, 0},
		"a closed one":      {&NetError{Kind: ErrClosed}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p, d := newPool(t)
			d.next = test.end
			use(t, p, pooled)
			d.want(t, "after it", 1, test.open)
			d.next = nil
			use(t, p, pooled)
			d.want(t, "next use", 2-test.open, 1)
		})
	}
	t.Run("one that broke and then worked", func(t *testing.T) {
		p, d := newPool(t)
		c, _ := p.Dial(context.Background(), pooled)
		d.next = &NetError{Kind: ErrTimeout}
		c.Do(context.Background(), Cmd("A"), Cmd("B"))
		d.next = nil
		c.Do(context.Background(), Cmd("C"))
		c.Close()
		d.want(t, "given back", 1, 0)
	})
	t.Run("one that died while idle", func(t *testing.T) {
		p, d := newPool(t)
		use(t, p, pooled)
		d.dead = true
		use(t, p, pooled)
		d.want(t, "next use", 2, 1)
	})
}

func TestPoolPassesErrorsOn(t *testing.T) {
	p, d := newPool(t)
	d.refuse = &NetError{Kind: ErrRefused}
	if _, err := p.Dial(context.Background(), pooled); !errors.Is(err, ErrRefused) {
		t.Errorf("%v", err)
	}
}

func TestPoolClosesIdleOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, d := newPool(t)
		use(t, p, pooled)
		time.Sleep(59 * time.Second)
		use(t, p, pooled) // used again: a new minute
		time.Sleep(59 * time.Second)
		synctest.Wait()
		d.want(t, "just before its time", 1, 1)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		d.want(t, "after its time", 1, 0)
		use(t, p, pooled)
		d.want(t, "next use", 2, 1)
		c, _ := p.Dial(context.Background(), pooled)
		time.Sleep(time.Hour)
		synctest.Wait()
		d.want(t, "while it is lent", 2, 1)
		c.Close()
		p.Close()
	})
}

func TestPoolPrune(t *testing.T) {
	p, d := newPool(t)
	other := pooled
	other.Addr = netip.MustParseAddrPort("10.0.0.2:6379")
	newer := pooled
	newer.Credentials.Generation = "2"
	use(t, p, pooled)
	use(t, p, newer)
	use(t, p, other)
	d.want(t, "at first", 3, 3)
	p.CloseNode(pooled.Addr)
	d.want(t, "one node closed", 3, 1)
	p.Prune(func(netip.AddrPort) bool { return true })
	d.want(t, "all kept", 3, 1)
	p.Prune(func(netip.AddrPort) bool { return false })
	d.want(t, "none kept", 3, 0)
	use(t, p, pooled)
	d.want(t, "and still usable", 4, 1)
}

func TestPoolClose(t *testing.T) {
	p, d := newPool(t)
	lent, _ := p.Dial(context.Background(), pooled)
	use(t, p, pooled)
	p.Close()
	d.want(t, "closed", 2, 1)
	if err := lent.Do(context.Background(), Cmd("PING"))[0].Err(); err != nil {
		t.Errorf("a lent connection was cut: %v", err)
	}
	lent.Close()
	d.want(t, "last one given back", 2, 0)
	wantKind(t, lent.Do(context.Background(), Cmd("PING"))[0].Err(), ErrReleased)
}

func TestPoolInParallel(t *testing.T) {
	p, d := newPool(t)
	var users sync.WaitGroup
	for range 20 {
		users.Go(func() {
			for range 50 {
				use(t, p, pooled)
			}
		})
	}
	users.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open > maxIdle || d.open == 0 {
		t.Errorf("%d open", d.open)
	}
}
