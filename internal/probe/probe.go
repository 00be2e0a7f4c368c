package probe

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// Options say whom to write to, and how.
type Options struct {
	// Dialer reaches the servers.
	Dialer valkey.Dialer
	// Seeds are some servers of the cluster; their addresses may be outdated
	// later. It is asked anew when no known server answers.
	Seeds func() []netip.AddrPort
	// Credentials to log in with.
	Credentials valkey.Credentials
	// Prefix of the names of the keys.
	Prefix string
	// Keys is how many keys are written to, each by a connection of its own.
	Keys int
	// Every is the time between two writes to a key.
	Every time.Duration
	// Wait is how many replicas must have a write before it counts as
	// acknowledged.
	Wait int
	// Patience is how long a write is tried again before it has failed.
	Patience time.Duration
}

// Report is what happened until now.
type Report struct {
	// Acknowledged and Failed writes.
	Acknowledged, Failed int
	// LongestGap is the longest time between two acknowledged writes to one
	// key, GapKey that key, and GapEnd when it was over.
	LongestGap time.Duration
	GapKey     string
	GapEnd     time.Time
	// LastError is of the failed writes.
	LastError error
}

func (r Report) String() string {
	return fmt.Sprintf("%d writes acknowledged, %d failed, longest gap %s", r.Acknowledged, r.Failed, r.LongestGap.Round(time.Millisecond))
}

// Probe is a running client.
type Probe struct {
	options Options
	routes  *routes
	writers []*writer
	stop    context.CancelFunc
	wg      sync.WaitGroup
}

// Start begins to write, and returns once every key has been written to.
func Start(ctx context.Context, o Options) (*Probe, error) {
	ctx, stop := context.WithCancel(ctx)
	p := &Probe{options: o, routes: newRoutes(o), stop: stop}
	for i := range o.Keys {
		w := newWriter(fmt.Sprintf("%s%d", o.Prefix, i), o, p.routes)
		p.writers = append(p.writers, w)
		p.wg.Go(func() { w.run(ctx) })
	}
	for _, w := range p.writers {
		select {
		case <-w.begun:
		case <-ctx.Done():
			stop()
			return nil, ctx.Err()
		case <-time.After(time.Minute):
			stop()
			return nil, fmt.Errorf("key %s cannot be written: %w", w.key, w.report().LastError)
		}
	}
	return p, nil
}

// Report sums up all keys. A gap that still lasts counts.
func (p *Probe) Report() Report {
	var sum Report
	for _, w := range p.writers {
		r := w.report()
		sum.Acknowledged += r.Acknowledged
		sum.Failed += r.Failed
		if r.LongestGap > sum.LongestGap {
			sum.LongestGap, sum.GapKey, sum.GapEnd = r.LongestGap, w.key, r.GapEnd
		}
		if r.LastError != nil {
			sum.LastError = r.LastError
		}
	}
	return sum
}

// Stop ends the writing and returns the last report.
func (p *Probe) Stop() Report {
	r := p.Report()
	p.stop()
	p.wg.Wait()
	return r
}

// Lost reads every key back and returns the acknowledged writes that are not
// there. It is called after Stop.
func (p *Probe) Lost(ctx context.Context) ([]Loss, error) {
	var lost []Loss
	for _, w := range p.writers {
		missing, err := w.missing(ctx)
		if err != nil {
			return nil, fmt.Errorf("reading %s back: %w", w.key, err)
		}
		if len(missing) > 0 {
			lost = append(lost, Loss{w.key, missing})
		}
	}
	return lost, nil
}

// Loss is the acknowledged writes to one key that are not there.
type Loss struct {
	Key    string
	Writes []int
}
