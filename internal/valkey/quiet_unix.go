//go:build unix

package valkey

import (
	"crypto/tls"
	"errors"
	"net"
	"syscall"
)

// isQuiet reports whether nc is open and has nothing to read. It does not
// wait. A connection that is not quiet has lost a byte and is useless.
func isQuiet(nc net.Conn) bool {
	if secure, ok := nc.(*tls.Conn); ok {
		nc = secure.NetConn()
	}
	socket, ok := nc.(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	var readErr error
	err = raw.Read(func(fd uintptr) bool {
		_, readErr = syscall.Read(int(fd), make([]byte, 1))
		return true // do not wait until there is something
	})
	return err == nil && errors.Is(readErr, syscall.EAGAIN)
}
