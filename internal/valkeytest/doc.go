// Package valkeytest runs real valkey-server processes for tests.
//
//	func TestForget(t *testing.T) {
//		valkeytest.Each(t, func(t *testing.T, bin valkeytest.Binary) {
//			servers := valkeytest.Start(t, bin, 6, valkeytest.Options{
//				Settings: []string{"cluster-node-timeout 500"},
//			})
//			conn := servers[0].Conn(t)
//			…
//			servers[3].Kill()
//			servers[3].Restart()
//		})
//	}
//
// Each runs the test once for every supported version. Where the binaries
// are is told by the environment:
//
//	VALKEY_BIN_8_0, VALKEY_BIN_8_1, VALKEY_BIN_9_1
//
// each a directory with a valkey-server. It may be the usr/bin of an unpacked
// system tree whose libraries this machine does not have: the tree's own
// loader and libraries are used then. A version without its variable is
// skipped with a message; `make test` sets them all.
//
// Every server has an IP of its own from 127.0.0.0/8 and the ports 6379 and
// 16379, just as a pod would, and connects to others from that IP. So a server
// can also come back under a new address ([Server.Move]). Servers live in a
// temporary directory and end with the test, also when the test process is
// killed. If the test fails, the end of each server's log is printed.
//
// The package is for tests only and needs Linux. It knows processes and
// addresses; it forms no clusters, that is for the tests.
package valkeytest
