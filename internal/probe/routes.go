package probe

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/slots"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// routes is a client's map of the cluster, which its writers share.
type routes struct {
	options Options

	mu      sync.Mutex
	owners  map[netip.AddrPort]slots.Set
	known   []netip.AddrPort
	updated time.Time
}

func newRoutes(o Options) *routes { return &routes{options: o} }

// freshness is how old a map may be for an error not to cause another one.
const freshness = 20 * time.Millisecond

// askLimit is how long one server may take to show its map.
const askLimit = 250 * time.Millisecond

// ownerOf returns who owns the slot as far as is known.
func (r *routes) ownerOf(ctx context.Context, slot slots.Slot) (netip.AddrPort, error) {
	owner, found := r.lookUp(slot)
	if !found {
		r.refresh(ctx)
		return owner, errNoOwner
	}
	return owner, nil
}

func (r *routes) dial(ctx context.Context, addr netip.AddrPort) (valkey.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	return r.options.Dialer.Dial(ctx, r.target(addr))
}

// moved notes who owns the slot by the word of a server.
func (r *routes) moved(slot slots.Slot, owner netip.AddrPort) {
	r.mu.Lock()
	defer r.mu.Unlock()
	one := slots.Of(slots.Range{First: slot, Last: slot})
	for addr, set := range r.owners {
		r.owners[addr] = set.Minus(one)
	}
	r.owners[owner] = r.owners[owner].Union(one)
}

var errNoOwner = errors.New("no server is known to own the slot")

func (r *routes) lookUp(slot slots.Slot) (netip.AddrPort, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.owner(slot)
}

func (r *routes) owner(slot slots.Slot) (netip.AddrPort, bool) {
	for addr, set := range r.owners {
		if set.Contains(slot) {
			return addr, true
		}
	}
	return netip.AddrPort{}, false
}

func (r *routes) target(addr netip.AddrPort) valkey.Target {
	return valkey.Target{Addr: addr, Credentials: r.options.Credentials}
}

// refresh asks one server after the other until one shows its map.
func (r *routes) refresh(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.updated) < freshness {
		return
	}
	for _, addr := range append(r.known, r.options.Seeds()...) {
		nodes, err := r.ask(ctx, addr)
		if err != nil {
			continue
		}
		r.learn(addr, nodes)
		return
	}
}

func (r *routes) ask(ctx context.Context, addr netip.AddrPort) (valkey.Nodes, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	conn, err := r.options.Dialer.Dial(ctx, r.target(addr))
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	text, err := conn.Do(ctx, valkey.Cmd("CLUSTER", "NODES"))[0].Text()
	if err != nil {
		return nil, err
	}
	return valkey.ParseNodes(text)
}

// learn takes the map over. The server that was asked goes to the end, so that
// another one is asked next time: one that is cut off must not be believed for
// ever.
func (r *routes) learn(from netip.AddrPort, nodes valkey.Nodes) {
	r.owners = map[netip.AddrPort]slots.Set{}
	r.known = nil
	for _, n := range nodes {
		addr := n.Addr
		if n.Flags.Has(valkey.Myself) {
			addr = from
		}
		if !addr.Addr().IsValid() || !n.IsMember() {
			continue
		}
		if addr != from && !n.Flags.Has(valkey.Failed) {
			r.known = append(r.known, addr)
		}
		if !n.Slots.IsEmpty() {
			r.owners[addr] = n.Slots
		}
	}
	r.known = append(r.known, from)
	r.updated = time.Now()
}
