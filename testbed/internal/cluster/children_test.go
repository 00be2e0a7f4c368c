package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// initRole does as an init does: it adopts an orphan, runs programs to their
// end and keeps one running.
func initRole() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return err
	}
	c := newChildren()
	if c.run(exec.Command("sh", "-c", "exit 3")) || !c.run(exec.Command("sh", "-c", "sleep 0.1 & exit 0")) {
		return fmt.Errorf("run does not tell failure from success")
	}
	if c.run(exec.Command("/does/not/exist")) {
		return fmt.Errorf("a program that does not exist was run")
	}
	log := roleArgs()[0]
	if err := c.supervise(log, "sh", "-c", "echo started"); err != nil {
		return err
	}
	return retry(30*time.Second, func() error {
		text, err := os.ReadFile(log)
		if err == nil && strings.Count(string(text), "started") < 2 {
			err = fmt.Errorf("what ended was not started again: %q", text)
		}
		return err
	})
}

func TestInitRunsAndSupervises(t *testing.T) {
	cmd := inRole(t, "init", filepath.Join(t.TempDir(), "log"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestDescribe(t *testing.T) {
	for status, want := range map[syscall.WaitStatus]string{
		0: "exit status 0", 3 << 8: "exit status 3", 9: "signal killed",
	} {
		if got := describe(status); got != want {
			t.Errorf("describe(%d) = %q, want %q", status, got, want)
		}
	}
}
