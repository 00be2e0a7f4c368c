package cluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

const netnsDir = "/run/netns"

// within runs f in a network namespace: its system calls, and the processes
// that it starts. Goroutines that f starts are not in the namespace.
func within(netns string, f func() error) error {
	target, err := os.Open(filepath.Join(netnsDir, netns))
	if err != nil {
		return err
	}
	defer target.Close()
	runtime.LockOSThread()
	home, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		runtime.UnlockOSThread()
		return err
	}
	defer home.Close()
	if err := unix.Setns(int(target.Fd()), unix.CLONE_NEWNET); err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("enter network namespace %s: %w", netns, err)
	}
	result := f()
	if err := unix.Setns(int(home.Fd()), unix.CLONE_NEWNET); err != nil {
		return err // the thread stays locked, so that it ends with the goroutine
	}
	runtime.UnlockOSThread()
	return result
}

// ip runs commands of iproute2, one a line, in a network namespace.
func ip(ctx context.Context, netns, commands string) error {
	cmd := exec.CommandContext(ctx, "ip", "-netns", netns, "-batch", "-")
	cmd.Stdin = strings.NewReader(commands)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("ip in %s: %w: %s", netns, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// ipNetns runs ip netns, which makes and removes named namespaces.
func ipNetns(ctx context.Context, args ...string) error {
	if out, err := exec.CommandContext(ctx, "ip", append([]string{"netns"}, args...)...).CombinedOutput(); err != nil {
		return fmt.Errorf("ip netns %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}

// netnsLeft returns the network namespaces of the cluster that exist.
func (c *Cluster) netnsLeft() []string {
	var names []string
	for _, pattern := range []string{c.netnsPrefix(), c.netnsPrefix() + "-n*"} {
		found, _ := filepath.Glob(filepath.Join(netnsDir, pattern))
		for _, path := range found {
			names = append(names, filepath.Base(path))
		}
	}
	return names
}
