package podsim

import (
	"fmt"
	"net"
	"net/netip"
	"sync"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// addresses gives each pod an address of the loopback network. Other tests use
// some of them too, with the same port: an address that is taken is passed over.
type addresses struct {
	mu   sync.Mutex
	last uint32
}

// firstAddress and its followers are 127.100.0.1, …
const firstAddress = 127<<24 | 100<<16

func (a *addresses) listen() (net.Listener, netip.Addr, error) {
	var err error
	for range 10_000 {
		ip := a.next()
		var l net.Listener
		if l, err = net.Listen("tcp", netip.AddrPortFrom(ip, v1alpha1.PortClient).String()); err == nil {
			return l, ip, nil
		}
	}
	return nil, netip.Addr{}, fmt.Errorf("no free address: %w", err)
}

func (a *addresses) next() netip.Addr {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.last++; a.last%256 == 0 || a.last%256 == 255; a.last++ {
	}
	n := firstAddress + a.last
	return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
}
