package cluster

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// A mount is one call of mount(2).
type mount struct {
	source, target, kind string
	flags                uintptr
	options              string
}

// mounts makes mounts in order.
func mounts(list ...mount) error {
	for _, m := range list {
		if err := unix.Mount(m.source, m.target, m.kind, m.flags, m.options); err != nil {
			return fmt.Errorf("mount %q on %s: %w", m.source, m.target, err)
		}
	}
	return nil
}

// namespaces returns the attributes of a process that starts in new namespaces
// and a session of its own.
func namespaces(flags uintptr) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Cloneflags: flags, Setsid: true}
}
