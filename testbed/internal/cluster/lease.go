package cluster

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// A lease is a locked file that tells which process plays a role. Unlike a
// file with a process ID in it, it cannot be stale: the kernel ends the lock
// with the process, and translates the ID between process namespaces.

// hold takes a lease for the rest of this process's life. Nothing else in the
// process may open the file: closing it would end the lease.
func hold(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	lock := unix.Flock_t{Type: unix.F_WRLCK}
	if err := unix.FcntlFlock(f.Fd(), unix.F_SETLK, &lock); err != nil {
		f.Close()
		return fmt.Errorf("lease %s: %w", path, err)
	}
	held = append(held, f) // keeps the garbage collector from closing it
	return nil
}

var held []*os.File

// holder returns the process that holds a lease, 0 if none does.
func holder(path string) (pid int, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if os.IsNotExist(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	lock := unix.Flock_t{Type: unix.F_WRLCK}
	if err := unix.FcntlFlock(f.Fd(), unix.F_GETLK, &lock); err != nil {
		return 0, fmt.Errorf("lease %s: %w", path, err)
	}
	if lock.Type == unix.F_UNLCK {
		return 0, nil
	}
	return int(lock.Pid), nil
}
