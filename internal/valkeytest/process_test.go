package valkeytest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asParent makes this test binary start a child, print its process ID and wait
// to be killed.
const asParent = "VALKEYTEST_AS_PARENT"

func TestMain(m *testing.M) {
	if dir := os.Getenv(asParent); dir != "" {
		p, err := startProcess([]string{"/bin/sh", "-c", "exec sleep 1000 #"}, dir)
		if err != nil {
			panic(err)
		}
		fmt.Println(p.cmd.Process.Pid)
		select {}
	}
	os.Exit(m.Run())
}

// However a test ends, its servers do not outlive it.
func TestProcessesDieWithTheTest(t *testing.T) {
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), asParent+"="+t.TempDir())
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	if !running(child) {
		t.Fatal("the child did not start")
	}
	time.Sleep(200 * time.Millisecond) // threads that would end have ended by now
	if !running(child) {
		t.Fatal("the child died before its parent")
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	for deadline := time.Now().Add(patience); running(child); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			_ = syscall.Kill(child, syscall.SIGKILL)
			t.Fatal("the child outlived its parent")
		}
	}
}

// running is false also for a dead process that nobody has waited for yet.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}
