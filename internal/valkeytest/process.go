package valkeytest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is one run of a server.
type process struct {
	cmd    *exec.Cmd
	ended  chan struct{}
	result error // once ended is closed
}

// startProcess runs a server in dir, with its output in the log file there.
func startProcess(command []string, dir string) (*process, error) {
	log, err := os.OpenFile(filepath.Join(dir, logFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the log: %w", err)
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(command[0], append(command[1:len(command):len(command)], "valkey.conf")...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := onSpawner(cmd.Start); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, ended: make(chan struct{})}
	go func() {
		p.result = cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

func (p *process) signal(t testing.TB, signal syscall.Signal) {
	t.Helper()
	select {
	case <-p.ended:
		t.Fatalf("server ended by itself: %v", p.result)
	default:
	}
	if err := p.cmd.Process.Signal(signal); err != nil {
		t.Fatalf("signal %v: %v", signal, err)
	}
}

func (p *process) await(t testing.TB) {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		_ = p.cmd.Process.Kill()
		t.Fatalf("server did not end within %v", patience)
	}
}

// onSpawner runs start on a thread that lives as long as the process. Servers
// are to die with the test process, and the kernel takes the end of the thread
// that started them for that.
func onSpawner(start func() error) error {
	spawner.Do(func() {
		go func() {
			runtime.LockOSThread()
			for job := range jobs {
				job.result <- job.start()
			}
		}()
	})
	result := make(chan error)
	jobs <- spawnJob{start, result}
	return <-result
}

type spawnJob struct {
	start  func() error
	result chan<- error
}

var (
	spawner sync.Once
	jobs    = make(chan spawnJob)
)
