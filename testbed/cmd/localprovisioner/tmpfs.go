package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// A limited volume is a tmpfs: it has exactly the size that was asked for, so
// that it can be filled up, and it can grow while it is in use. The folder of
// all volumes is a mount shared with the nodes; what is mounted below it
// appears there too.

// mountLimited mounts an empty file system of the given size.
func mountLimited(path string, bytes int64) error {
	return unix.Mount("tmpfs", path, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0777", bytes))
}

// growLimited changes the size of a file system in use.
func growLimited(path string, bytes int64) error {
	return unix.Mount("", path, "", unix.MS_REMOUNT, fmt.Sprintf("size=%d", bytes))
}

// unmountLimited ends the file systems at path: none, or more than one if
// provisioning was repeated.
func unmountLimited(path string) error {
	for {
		switch err := unix.Unmount(path, unix.MNT_DETACH); err {
		case nil:
		case unix.EINVAL, unix.ENOENT: // no mount point, or no folder
			return nil
		default:
			return err
		}
	}
}
