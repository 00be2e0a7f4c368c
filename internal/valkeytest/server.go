package valkeytest

import (
	"context"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// patience is how long anything here may take on a busy machine.
const patience = time.Minute

// Options of the servers of one Start.
type Options struct {
	// Settings are lines of valkey.conf, after ours: the last one of a name
	// holds.
	Settings []string
	// Files are written to each server's directory before its first start,
	// by name; settings refer to them by that name.
	Files map[string]string
	// Credentials and TLS are how to log in, for [Server.Target].
	Credentials valkey.Credentials
	TLS         *valkey.TLS
}

// Server is one server: a directory, an address and, while it runs, a process.
type Server struct {
	t       testing.TB
	bin     Binary
	options Options
	dir     string
	ip      netip.Addr
	process *process // nil while stopped
}

// Start starts n servers in cluster mode, each alone, and waits until all
// answer. They end with the test.
func Start(t testing.TB, bin Binary, n int, options Options) []*Server {
	t.Helper()
	servers := make([]*Server, n)
	for i := range servers {
		servers[i] = &Server{t: t, bin: bin, options: options, dir: t.TempDir(), ip: newIP(t)}
		for name, content := range options.Files {
			servers[i].WriteFile(name, content)
		}
		t.Cleanup(servers[i].cleanup)
		servers[i].launch()
	}
	for _, s := range servers {
		s.awaitAnswer()
	}
	return servers
}

// Addr is where the server serves clients.
func (s *Server) Addr() netip.AddrPort { return netip.AddrPortFrom(s.ip, clientPort) }

// BusPort is its port for other nodes.
func (s *Server) BusPort() uint16 { return busPort }

// Dir is its directory: valkey.conf, nodes.conf, data files and valkey.log.
func (s *Server) Dir() string { return s.dir }

// Target is how to reach it.
func (s *Server) Target() valkey.Target {
	return valkey.Target{Addr: s.Addr(), Credentials: s.options.Credentials, TLS: s.options.TLS}
}

// Conn dials the server; the connection is closed with the test.
func (s *Server) Conn(t testing.TB) valkey.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := valkey.TCP{DialLimit: patience, ReplyLimit: patience}.Dial(ctx, s.Target())
	if err != nil {
		t.Fatalf("dialing a server: %v", err)
	}
	t.Cleanup(conn.Close)
	return conn
}

// Stop ends the process as a container runtime does first: SIGTERM, then wait.
func (s *Server) Stop() {
	s.t.Helper()
	s.end(syscall.SIGTERM)
}

// Kill ends the process at once, as after a crash or for lack of memory.
func (s *Server) Kill() {
	s.t.Helper()
	s.end(syscall.SIGKILL)
}

// AwaitEnd waits until the process has ended by itself, and returns how: nil
// is exit code 0.
func (s *Server) AwaitEnd() error {
	s.t.Helper()
	p := s.running()
	p.await(s.t)
	s.process = nil
	return p.result
}

// Pause stops the process without ending it: it hangs. The kernel still
// accepts connections for it.
func (s *Server) Pause() {
	s.t.Helper()
	s.running().signal(s.t, syscall.SIGSTOP)
}

// Resume lets a paused process go on.
func (s *Server) Resume() {
	s.t.Helper()
	s.running().signal(s.t, syscall.SIGCONT)
}

// Restart starts the server again with what its directory holds, killing it
// first if it runs, and waits until it answers.
func (s *Server) Restart() {
	s.t.Helper()
	s.Relaunch()
	s.awaitAnswer()
}

// Relaunch is [Server.Restart] without waiting for an answer, for servers
// that are expected not to start, or to be slow.
func (s *Server) Relaunch() {
	s.t.Helper()
	if s.process != nil {
		s.Kill()
	}
	s.launch()
}

// Configure adds lines to valkey.conf for the next start.
func (s *Server) Configure(lines ...string) {
	s.options.Settings = append(slices.Clone(s.options.Settings), lines...)
}

// Move gives a stopped server a new address for its next start.
func (s *Server) Move() {
	s.t.Helper()
	s.mustBeStopped()
	s.ip = newIP(s.t)
}

// Wipe empties the directory of a stopped server: next time it is a stranger.
func (s *Server) Wipe() {
	s.t.Helper()
	s.mustBeStopped()
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, entry := range entries {
		if _, ours := s.options.Files[entry.Name()]; ours {
			continue
		}
		if err := os.RemoveAll(filepath.Join(s.dir, entry.Name())); err != nil {
			s.t.Fatal(err)
		}
	}
}

// WriteFile writes a file of the server's directory.
func (s *Server) WriteFile(name, content string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(content), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// ReadFile reads a file of the server's directory; one that is not there is
// empty.
func (s *Server) ReadFile(name string) string {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil && !os.IsNotExist(err) {
		s.t.Fatal(err)
	}
	return string(text)
}

// Log is what the server has printed so far.
func (s *Server) Log() string {
	text, err := os.ReadFile(filepath.Join(s.dir, logFile))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (s *Server) running() *process {
	s.t.Helper()
	if s.process == nil {
		s.t.Fatalf("server %s is not running", s.ip)
	}
	return s.process
}

func (s *Server) mustBeStopped() {
	s.t.Helper()
	if s.process != nil {
		s.t.Fatalf("server %s is running", s.ip)
	}
}

func (s *Server) end(signal syscall.Signal) {
	s.t.Helper()
	s.running().signal(s.t, signal)
	s.running().await(s.t)
	s.process = nil
}

// cleanup ends the server with its test.
func (s *Server) cleanup() {
	if s.process != nil {
		_ = s.process.cmd.Process.Kill() // it may have ended by itself
		<-s.process.ended
	}
	if s.t.Failed() {
		lines := strings.Split(strings.TrimSpace(s.Log()), "\n")
		s.t.Logf("log of %s (Valkey %s), its end:\n%s", s.ip, s.bin.Version, strings.Join(lines[max(0, len(lines)-40):], "\n"))
	}
}
