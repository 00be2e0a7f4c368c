package podtest

import (
	"context"
	"net/netip"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/probe"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// Traffic returns how an application reaches a cluster: keys with the prefix,
// each written every ten milliseconds.
func (n Namespace) Traffic(ctx context.Context, cluster, prefix string, keys, wait int) (probe.Options, error) {
	login, err := n.credentials(ctx, cluster)
	return probe.Options{
		// A server of which nothing is left, not even its network, must not
		// hold a client up for longer than another one needs to take over.
		Dialer:      valkey.TCP{Name: "probe", ReplyLimit: 1500 * time.Millisecond},
		Seeds:       func() []netip.AddrPort { return n.addresses(ctx, cluster) },
		Credentials: login,
		Prefix:      prefix, Keys: keys, Every: 10 * time.Millisecond, Wait: wait, Patience: 10 * time.Second,
	}, err
}

// addresses returns where the servers of a cluster are now.
func (n Namespace) addresses(ctx context.Context, cluster string) []netip.AddrPort {
	pods, err := n.Pods(ctx, cluster)
	if err != nil {
		return nil
	}
	var addresses []netip.AddrPort
	for _, p := range pods {
		if addr, found := address(p); found {
			addresses = append(addresses, addr)
		}
	}
	return addresses
}
