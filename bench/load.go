package main

import (
	"context"
	"errors"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/valkey-operator/valkey-operator/internal/podtest"
	"github.com/valkey-operator/valkey-operator/internal/probe"
)

// cluster is a running cluster, and its pods as they were before the fault.
type cluster struct {
	podtest.Namespace
	pods    map[string]corev1.Pod
	primary corev1.Pod // of shard 0
	began   time.Time  // the fault
}

// fault does something to a cluster and returns when that is over; how long it
// took is measured.
type fault func(context.Context, *cluster) error

// underLoad returns what measures a fault on a fresh cluster to which clients
// write.
func underLoad(f fault) func(context.Context, *bed) (outcome, error) {
	return func(ctx context.Context, b *bed) (o outcome, err error) {
		err = b.in(ctx, func(ns podtest.Namespace) error {
			c, err := newCluster(ctx, ns)
			if err != nil {
				return err
			}
			o, err = c.endure(ctx, f, b.load)
			if err != nil {
				progress("%s", ns.Describe(context.WithoutCancel(ctx)))
			}
			return err
		})
		return o, err
	}
}

func newCluster(ctx context.Context, ns podtest.Namespace) (*cluster, error) {
	c := &cluster{Namespace: ns}
	if err := form(ctx, ns); err != nil {
		return nil, err
	}
	if err := c.awaitWhole(ctx); err != nil {
		return nil, err
	}
	servers, err := c.Ask(ctx, clusterName)
	if err != nil {
		return nil, err
	}
	name, err := servers.Primary(func(node string) bool { return strings.HasPrefix(node, clusterName+"-0-") })
	if err != nil {
		return nil, err
	}
	c.pods, err = c.Pods(ctx, clusterName)
	c.primary = c.pods[name]
	return c, err
}

// whole returns nil if every server says that the cluster is whole.
func (c *cluster) whole(ctx context.Context) error {
	servers, err := c.Ask(ctx, clusterName)
	if err != nil {
		return err
	}
	return servers.Whole(shards, replicas)
}

func (c *cluster) awaitWhole(ctx context.Context) error {
	return c.await(ctx, "all servers say that the cluster is whole", c.whole)
}

// await asks less often than until, because it asks more.
func (c *cluster) await(ctx context.Context, what string, so func(context.Context) error) error {
	return podtest.Until(ctx, patience, 100*time.Millisecond, what, func() error { return so(ctx) })
}

// How many keys are written to. Those of the load are less than 20 MiB.
const (
	watchedKeys   = 64
	confirmedKeys = 16
	loadKeys      = 3000
)

// endure has clients write while the fault happens, and until the cluster is
// whole again. One client waits for nothing and shows gaps; another one waits
// for a replica, for which the end of a primary is no excuse to lose anything,
// but the absence of a replica is one for gaps.
func (c *cluster) endure(ctx context.Context, f fault, load bool) (outcome, error) {
	stop, err := c.startLoad(ctx, load)
	if err != nil {
		return outcome{}, err
	}
	defer stop()
	watched, err := c.startProbe(ctx, "watched:", watchedKeys, 0)
	if err != nil {
		return outcome{}, err
	}
	defer watched.Stop()
	confirmed, err := c.startProbe(ctx, "confirmed:", confirmedKeys, 1)
	if err != nil {
		return outcome{}, err
	}
	defer confirmed.Stop()
	o := outcome{written: true}
	if o.took, err = c.strike(ctx, f); err != nil {
		return o, err
	}
	stop()
	report := watched.Stop()
	confirmed.Stop()
	progress("the fault began at %s, the longest gap ended at %s, of %s; last failure: %v",
		clock(c.began), clock(report.GapEnd), report.GapKey, report.LastError)
	o.gap, o.failed = report.LongestGap, report.Failed
	return o, errors.Join(count(ctx, watched, &o.lost), count(ctx, confirmed, &o.unkept))
}

// strike has the clients write a while before and after the fault too.
func (c *cluster) strike(ctx context.Context, f fault) (took time.Duration, err error) {
	sleep(ctx, 3*time.Second)
	c.began = time.Now()
	if err := f(ctx, c); err != nil {
		return 0, err
	}
	took = time.Since(c.began)
	if err := c.awaitWhole(ctx); err != nil {
		return took, err
	}
	sleep(ctx, time.Second)
	return took, ctx.Err()
}

// startLoad keeps a core busy, if that is wanted, until stop is called.
func (c *cluster) startLoad(ctx context.Context, wanted bool) (stop func(), err error) {
	if !wanted {
		return func() {}, nil
	}
	options, err := c.Traffic(ctx, clusterName, "load:", loadKeys, 0)
	if err != nil {
		return nil, err
	}
	l := probe.StartLoad(ctx, options)
	stopped := false
	return func() {
		if !stopped {
			progress("load: %v", l.Stop())
		}
		stopped = true
	}, nil
}

func (c *cluster) startProbe(ctx context.Context, prefix string, keys, wait int) (*probe.Probe, error) {
	options, err := c.Traffic(ctx, clusterName, prefix, keys, wait)
	if err != nil {
		return nil, err
	}
	return probe.Start(ctx, options)
}

// count reads all keys of a client back.
func count(ctx context.Context, p *probe.Probe, lost *int) error {
	losses, err := p.Lost(ctx)
	for _, l := range losses {
		progress("%s lost %d acknowledged writes: %v…", l.Key, len(l.Writes), l.Writes[:min(5, len(l.Writes))])
		*lost += len(l.Writes)
	}
	return err
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
