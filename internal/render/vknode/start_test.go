package vknode

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The server of these tests is a script: what matters is when it is started,
// and what it leaves behind. Real servers are started by start.sh in every
// test on real pods.
const serverScript = `#!/bin/sh
[ "$1" != --version ] || { echo "Valkey server v=${VERSION-9.1.2} sha=00000000:0 malloc=none bits=64"; exit; }
echo running "$*" >>"$VALKEY_DATA/log"
stop() { [ -e "$VALKEY_DATA/nosave" ] || { echo data >"$VALKEY_DATA/tmp"; mv "$VALKEY_DATA/tmp" "$VALKEY_DATA/dump.rdb"; }; exit 0; }
trap stop TERM
while :; do sleep 0.02; done
`

var (
	primaryWithReplica = nodesConf("aa myself,master - 0 0 1 connected 0-16383", "bb slave aa 0 0 1 connected")
	replicaOfOther     = nodesConf("aa myself,slave bb 0 0 1 connected", "bb master - 0 0 1 connected 0-16383")
	lonePrimary        = nodesConf("aa myself,master - 0 0 1 connected 0-16383")
	failedReplica      = nodesConf("aa myself,master - 0 0 1 connected 0-16383", "bb slave,fail aa 0 0 1 disconnected")
)

// nodesConf writes a file of servers aa and bb, whose IDs and addresses are
// longer.
func nodesConf(lines ...string) string {
	text := ""
	for _, line := range lines {
		id, rest, _ := strings.Cut(line, " ")
		text += id + " 10.0.0.1:6379@16379,,tls-port=0 " + rest + "\n"
	}
	return strings.NewReplacer("aa", strings.Repeat("a", 40), "bb", strings.Repeat("b", 40)).Replace(text) +
		"vars currentEpoch 1 lastVoteEpoch 0\n"
}

// container is a directory in which start.sh can be run.
type container struct {
	t         *testing.T
	dir       string
	shell     []string
	nodesConf string
	env       []string
}

// eachShell runs test with every shell that an image may have.
func eachShell(t *testing.T, test func(t *testing.T, shell []string)) {
	for _, shell := range [][]string{{"/bin/sh"}, {"busybox", "sh"}} {
		t.Run(shell[0], func(t *testing.T) {
			t.Parallel()
			test(t, shell)
		})
	}
}

func newContainer(t *testing.T, shell []string, nodesConf string) *container {
	t.Helper()
	c := &container{t: t, dir: t.TempDir(), shell: shell, nodesConf: nodesConf}
	c.write("start.sh", startScript)
	c.write("valkey.conf", "cluster-node-timeout 100\n")
	c.write("bin/valkey-server", serverScript)
	c.write("data/nodes.conf", nodesConf)
	return c
}

func (c *container) write(name, content string) {
	c.t.Helper()
	path := filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.t.Fatal(err)
	}
	// A process that another test forks meanwhile would have the file open for
	// writing, and the kernel runs no such script.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		c.t.Fatal(err)
	}
}

// run is one life of the container's process.
type run struct {
	c      *container
	cmd    *exec.Cmd
	output bytes.Buffer
}

func (c *container) start() *run {
	c.t.Helper()
	r := &run{c: c}
	r.cmd = exec.Command(c.shell[0], append(c.shell[1:len(c.shell):len(c.shell)], filepath.Join(c.dir, "start.sh"))...)
	r.cmd.Env = []string{
		"PATH=" + filepath.Join(c.dir, "bin") + ":/usr/bin:/bin",
		"VALKEY_ETC=" + c.dir, "VALKEY_DATA=" + filepath.Join(c.dir, "data"),
	}
	r.cmd.Env = append(r.cmd.Env, c.env...)
	r.cmd.Stdout, r.cmd.Stderr = &r.output, &r.output
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := r.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL) })
	return r
}

func (r *run) starts() int {
	log, _ := os.ReadFile(filepath.Join(r.c.dir, "data", "log"))
	return strings.Count(string(log), "running")
}

// awaitStarts waits until the server has been started n times in all.
func (r *run) awaitStarts(n int) {
	r.c.t.Helper()
	for begin := time.Now(); r.starts() < n; time.Sleep(5 * time.Millisecond) {
		if time.Since(begin) > time.Minute {
			r.c.t.Fatalf("the server was started %d times, want %d\n%s", r.starts(), n, r.output.String())
		}
	}
}

// terminate is what a container runtime does to stop a container.
func (r *run) terminate() int {
	r.c.t.Helper()
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		r.c.t.Fatal(err)
	}
	_ = r.cmd.Wait()
	return r.cmd.ProcessState.ExitCode()
}

// crash kills everything, as the loss of the machine would.
func (r *run) crash() {
	_ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL)
	_ = r.cmd.Wait()
}

func TestStartGate(t *testing.T) {
	crash := func(r *run) { r.crash() }
	stop := func(r *run) { r.terminate() }
	stopWithoutSave := func(r *run) {
		r.c.write("data/nosave", "")
		r.terminate()
	}
	stopThenChange := func(r *run) {
		r.terminate()
		r.c.write("data/dump.rdb", "an older copy of the data")
	}
	cases := []struct {
		name      string
		nodesConf string
		end       func(*run)
		held      bool
	}{
		{"primary after a crash", primaryWithReplica, crash, true},
		{"primary after a clean stop", primaryWithReplica, stop, false},
		{"primary that stopped without saving", primaryWithReplica, stopWithoutSave, true},
		{"primary whose data was changed after a clean stop", primaryWithReplica, stopThenChange, true},
		{"replica after a crash", replicaOfOther, crash, false},
		{"primary without replicas after a crash", lonePrimary, crash, false},
		{"primary whose replica had failed", failedReplica, crash, false},
	}
	for _, shell := range [][]string{{"/bin/sh"}, {"busybox", "sh"}} {
		for _, c := range cases {
			t.Run(fmt.Sprintf("%s/%s", shell[0], c.name), func(t *testing.T) {
				t.Parallel()
				box := newContainer(t, shell, c.nodesConf)
				box.write("data/clean-shutdown", "")
				first := box.start()
				first.awaitStarts(1)
				c.end(first)

				second := box.start()
				if held := second.isHeld(); held != c.held {
					t.Errorf("held back: %t, want %t\n%s", held, c.held, second.output.String())
				}
				second.awaitStarts(2)
				if code := second.terminate(); code != 0 {
					t.Errorf("exit code %d\n%s", code, second.output.String())
				}
			})
		}
	}
}

// The wait ends as soon as the script that knows says that another server has
// taken over, and it is told how long there is left.
func TestGateOpensWhenAnotherLeads(t *testing.T) {
	eachShell(t, func(t *testing.T, shell []string) {
		box := newContainer(t, shell, primaryWithReplica)
		box.write("valkey.conf", "cluster-node-timeout 200000\n") // held for a quarter of an hour
		box.write("succession", `echo "$*" >>"$VALKEY_DATA/left"; [ -e "$VALKEY_DATA/succeeded" ]`+"\n")
		box.env = []string{"VALKEY_SUCCESSION=" + filepath.Join(box.dir, "succession")}
		r := box.start()
		if !r.isHeld() {
			t.Fatal("not held back")
		}
		for line := range strings.Lines(box.awaitTold(2)) {
			var held, left int
			if n, err := fmt.Sscan(line, &held, &left); n != 2 || err != nil || held < 0 || held+left != 1004 {
				t.Errorf("the script was told %q", line)
			}
		}
		if r.starts() > 0 {
			t.Errorf("the server started %d times", r.starts())
		}
		box.write("data/succeeded", "")
		r.awaitStarts(1)
		r.terminate()
	})
}

// awaitTold waits until the script of the succession was run n times and returns
// what it was told.
func (c *container) awaitTold(n int) string {
	c.t.Helper()
	for begin := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		text, _ := os.ReadFile(filepath.Join(c.dir, "data", "left"))
		if strings.Count(string(text), "\n") >= n {
			return string(text)
		}
		if time.Since(begin) > time.Minute {
			c.t.Fatalf("the script was told %q", text)
		}
	}
}

// Only a pod whose own container the last server ran in knows that it has ended.
func TestGateKnowsTheServerOfItsOwnPod(t *testing.T) {
	eachShell(t, func(t *testing.T, shell []string) {
		box := newContainer(t, shell, primaryWithReplica)
		box.write("succession", `echo "$*" >>"$VALKEY_DATA/left"`+"\n") // always sees a successor
		lives := []struct{ pod, ended string }{
			{"one", ""}, {"one", "ended"}, {"two", ""}, {"two", "ended"}, {"", ""}, {"two", "ended"}, {"one", ""},
		}
		for i, life := range lives {
			box.env = []string{"VALKEY_SUCCESSION=" + filepath.Join(box.dir, "succession"), "VALKEY_POD_UID=" + life.pod}
			r := box.start()
			told := strings.Split(box.awaitTold(i+1), "\n")[i]
			if got := strings.TrimLeft(told, "0123456789 "); got != life.ended {
				t.Errorf("life %d, in pod %q: the script was told %q", i, life.pod, told)
			}
			r.awaitStarts(i + 1)
			r.crash()
		}
	})
}

// isHeld waits for the script's decision.
func (r *run) isHeld() bool {
	r.c.t.Helper()
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(5 * time.Millisecond) {
		if r.starts() > 1 {
			return false
		}
		if children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", r.cmd.Process.Pid, r.cmd.Process.Pid)); r.sleeps(string(children)) {
			return true
		}
	}
	r.c.t.Fatal("start.sh does not decide")
	return false
}

func (r *run) sleeps(children string) bool {
	for _, pid := range strings.Fields(children) {
		command, _ := os.ReadFile("/proc/" + pid + "/cmdline")
		if strings.Contains(string(command), "sleep\x001\x00") {
			return true
		}
	}
	return false
}

// A signal during the wait ends it: the pod is gone at once.
func TestStartGateIsInterruptible(t *testing.T) {
	box := newContainer(t, []string{"/bin/sh"}, primaryWithReplica)
	r := box.start()
	if !r.isHeld() {
		t.Fatal("not held back")
	}
	begin := time.Now()
	if code := r.terminate(); code != 0 || r.starts() != 0 {
		t.Errorf("exit code %d, server started %d times after %v", code, r.starts(), time.Since(begin))
	}
}

// A server that can hand over when it is told to stop does so, unless the
// configuration says what it is to do.
func TestStopHandsOver(t *testing.T) {
	eachShell(t, func(t *testing.T, shell []string) {
		for _, test := range []struct {
			name, config string
			env          []string
			want         bool
		}{
			{"wanted", "", []string{"VALKEY_STOP_FAILOVER=yes"}, true},
			{"not wanted", "", nil, false},
			{"configured otherwise", "shutdown-on-sigterm save\n", []string{"VALKEY_STOP_FAILOVER=yes"}, false},
			{"9.0", "", []string{"VALKEY_STOP_FAILOVER=yes", "VERSION=9.0.3"}, false},
			{"8.1", "", []string{"VALKEY_STOP_FAILOVER=yes", "VERSION=8.1.1"}, false},
			{"10.0", "", []string{"VALKEY_STOP_FAILOVER=yes", "VERSION=10.0.0"}, true},
		} {
			t.Run(test.name, func(t *testing.T) {
				c := newContainer(t, shell, lonePrimary)
				c.env = test.env
				c.write("valkey.conf", "cluster-node-timeout 100\n"+test.config)
				r := c.start()
				r.awaitStarts(1)
				log, err := os.ReadFile(filepath.Join(c.dir, "data", "log"))
				if err != nil {
					t.Fatal(err)
				}
				if got := strings.Contains(string(log), "--shutdown-on-sigterm failover"); got != test.want {
					t.Errorf("the server was started with %s", log)
				}
			})
		}
	})
}
