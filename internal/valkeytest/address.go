package valkeytest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"testing"
)

// Ports of every server.
const (
	clientPort = 6379
	busPort    = 16379
	leasePort  = 6380 // held on the first address of our network, see lease
)

// lease is a /24 of the loopback network that no other test process uses.
// Holding a listener in it for the life of the process makes it ours.
var lease struct {
	sync.Mutex
	listener net.Listener
	network  [3]byte
	last     byte
}

// Address is an address that was never used before by this process, for a
// server that a test starts in its own way, on the port that servers here have.
func Address(t testing.TB) netip.AddrPort {
	t.Helper()
	return netip.AddrPortFrom(newIP(t), clientPort)
}

// newIP is an address that was never used before by this process.
func newIP(t testing.TB) netip.Addr {
	t.Helper()
	lease.Lock()
	defer lease.Unlock()
	if lease.listener == nil || lease.last == 254 {
		if err := takeNetwork(); err != nil {
			t.Fatal(err)
		}
	}
	lease.last++
	return inNetwork(lease.last)
}

func inNetwork(host byte) netip.Addr {
	return netip.AddrFrom4([4]byte{lease.network[0], lease.network[1], lease.network[2], host})
}

func takeNetwork() (err error) {
	for range 100 {
		lease.network = [3]byte{127, byte(1 + rand.IntN(254)), byte(rand.IntN(255))}
		lease.last = 1
		at := netip.AddrPortFrom(inNetwork(1), leasePort)
		// An older network's listener is kept: its servers may be running.
		if lease.listener, err = net.Listen("tcp", at.String()); err == nil {
			return nil
		}
	}
	return fmt.Errorf("no free network in 127.0.0.0/8: %w", err)
}
