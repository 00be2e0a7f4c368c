// Package cache is the folder outside the work tree in which the testbed keeps
// binaries, images and running clusters. It knows files and keys; it does not
// know what is kept.
package cache

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Dir returns the cache's absolute folder and makes it if needed:
// $VALKEY_TESTBED_CACHE, or valkey-operator-testbed in the user's cache folder.
func Dir() (string, error) {
	dir := os.Getenv("VALKEY_TESTBED_CACHE")
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(user, "valkey-operator-testbed")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o755)
}

// Lock waits until no other process holds the lock of a folder. The kernel
// gives it back when the process ends, however it ends.
func Lock(dir string, wait func()) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == syscall.EWOULDBLOCK {
		wait()
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	return func() { f.Close() }, nil
}

// Present tells whether a folder was filled; it appears whole or not at all.
func Present(dir string) bool {
	_, err := os.Stat(dir)
	return err == nil
}

// Fill makes the folder dir with what fill puts into it. The content is made
// next to it and renamed when whole: interrupted work leaves nothing that
// looks finished. What was at dir before is replaced. The caller holds the lock
// of the parent folder.
func Fill(dir string, fill func(partial string) error) error {
	work, err := Scratch(filepath.Dir(dir))
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	partial := filepath.Join(work, "new")
	if err := os.Mkdir(partial, 0o755); err != nil {
		return err
	}
	if err := fill(partial); err != nil {
		return err
	}
	if err := os.Rename(dir, filepath.Join(work, "old")); err != nil && !os.IsNotExist(err) {
		return err
	}
	return os.Rename(partial, dir)
}

// Scratch makes a folder for unfinished work below parent, in place of those
// that killed processes left. The caller holds the lock of the parent folder,
// uses one scratch folder at a time and removes it.
func Scratch(parent string) (string, error) {
	dir := filepath.Join(parent, "unfinished")
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o755)
}
