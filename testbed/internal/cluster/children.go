package cluster

import (
	"fmt"
	"log"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// children starts and waits for the processes of an init. An init inherits
// orphans, so all waiting is done in one place: an [exec.Cmd] that waited by
// itself would compete for the same results.
type children struct {
	mu      sync.Mutex
	waiting map[int]chan syscall.WaitStatus
}

func newChildren() *children {
	c := &children{waiting: map[int]chan syscall.WaitStatus{}}
	go c.reap()
	return c
}

// reap waits for whichever child ends next, for ever.
func (c *children) reap() {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		if err != nil { // ECHILD: none is there at the moment
			time.Sleep(20 * time.Millisecond)
			continue
		}
		c.mu.Lock()
		if ended, ours := c.waiting[pid]; ours {
			ended <- status
			delete(c.waiting, pid)
		}
		c.mu.Unlock()
	}
}

// start starts a command whose output goes to files; the channel tells its end.
func (c *children) start(cmd *exec.Cmd) (<-chan syscall.WaitStatus, error) {
	c.mu.Lock() // so that reap finds even a child that ends at once
	defer c.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan syscall.WaitStatus, 1)
	c.waiting[cmd.Process.Pid] = ended
	return ended, cmd.Process.Release()
}

// run runs a command to its end and tells whether it succeeded.
func (c *children) run(cmd *exec.Cmd) bool {
	ended, err := c.start(cmd)
	if err != nil {
		log.Print(err)
		return false
	}
	return (<-ended) == 0
}

// supervise keeps a program running: what ends is started again after a
// second. Its output is appended to a log file.
func (c *children) supervise(logFile, name string, args ...string) error {
	out, err := os.OpenFile(logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	go func() {
		for {
			cmd := exec.Command(name, args...)
			cmd.Stdout, cmd.Stderr = out, out
			ended, err := c.start(cmd)
			if err != nil {
				log.Printf("%s: %v", name, err)
			} else {
				log.Printf("%s ended: %s", name, describe(<-ended))
			}
			time.Sleep(time.Second)
		}
	}()
	return nil
}

func describe(status syscall.WaitStatus) string {
	if status.Signaled() {
		return "signal " + status.Signal().String()
	}
	return fmt.Sprintf("exit status %d", status.ExitStatus())
}
