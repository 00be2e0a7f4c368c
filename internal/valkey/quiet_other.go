//go:build !unix

package valkey

import "net"

// isQuiet cannot be told here without waiting; the next command will find out.
func isQuiet(net.Conn) bool { return true }
