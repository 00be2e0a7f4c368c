package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// killLimit is the time that killed processes may take to be gone.
const killLimit = 20 * time.Second

// Down ends the cluster and removes all that is left of it, also of a start
// that was interrupted.
func (c *Cluster) Down(ctx context.Context, say Say) error {
	unlock, err := c.lock(say)
	if err != nil {
		return err
	}
	defer unlock()
	if !c.anythingLeft() {
		say("there is no cluster %s", c.Name)
		return nil
	}
	return c.clean(ctx, say)
}

// anythingLeft tells whether the cluster was started and not cleaned up.
func (c *Cluster) anythingLeft() bool {
	_, err := os.Stat(c.dir)
	return err == nil || len(c.netnsLeft()) > 0
}

// clean removes whatever there is of the cluster. It needs no record of what
// was made: everything goes by the cluster's name.
func (c *Cluster) clean(ctx context.Context, say Say) error {
	if !c.anythingLeft() {
		return nil
	}
	if err := killHolder(c.initLease()); err != nil {
		return err
	}
	for _, netns := range c.netnsLeft() {
		if err := removeNetns(ctx, netns); err != nil {
			return err
		}
	}
	if err := machineCgroups.remove(c.cgroup()); err != nil {
		return err
	}
	if err := retry(killLimit, func() error { return os.RemoveAll(c.dir) }); err != nil {
		return err
	}
	if others, err := os.ReadDir(filepath.Dir(c.dir)); err == nil && len(others) == 0 {
		_ = os.Remove(cniResults) // fails unless it is empty, as we made it
	}
	say("nothing is left of cluster %s", c.Name)
	return nil
}

// killHolder kills the process that holds a lease, and waits until it is gone.
// As the first of its process namespace it takes all others along.
func killHolder(lease string) error {
	return retry(killLimit, func() error {
		pid, err := holder(lease)
		if err != nil || pid == 0 {
			return err
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
		return fmt.Errorf("process %d does not end", pid)
	})
}

// removeNetns removes a network namespace when its last process has left.
func removeNetns(ctx context.Context, netns string) error {
	err := retry(killLimit, func() error {
		pids, err := exec.CommandContext(ctx, "ip", "netns", "pids", netns).Output()
		if users := strings.Fields(string(pids)); err == nil && len(users) > 0 {
			return fmt.Errorf("network namespace %s is still used by processes %v", netns, users)
		}
		return err
	})
	if err != nil {
		return err
	}
	return ipNetns(ctx, "del", netns)
}
