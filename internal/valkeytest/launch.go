package valkeytest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

const logFile = "valkey.log"

// launch starts the process, trusting neither its start nor its success.
func (s *Server) launch() {
	s.t.Helper()
	s.WriteFile("valkey.conf", s.config())
	p, err := startProcess(s.bin.command, s.dir)
	if err != nil {
		s.t.Fatalf("starting Valkey %s: %v", s.bin.Version, err)
	}
	s.process = p
}

// config is small: nothing is saved unless a test says so, and replicas sync
// without the usual delay.
func (s *Server) config() string {
	port := "port"
	if s.options.TLS != nil {
		port = "port 0\ntls-port"
	}
	lines := []string{
		fmt.Sprintf("%s %d", port, clientPort),
		fmt.Sprintf("cluster-port %d", busPort),
		fmt.Sprintf("bind %s", s.ip),
		fmt.Sprintf("bind-source-addr %s", s.ip),
		"protected-mode no",
		"cluster-enabled yes",
		"cluster-node-timeout 2000",
		"repl-diskless-sync-delay 0",
		`save ""`,
	}
	return strings.Join(append(lines, s.options.Settings...), "\n") + "\n"
}

// awaitAnswer waits until the server answers anything at all.
func (s *Server) awaitAnswer() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		verdict, err := valkey.TCP{}.Probe(ctx, s.Target())
		if verdict == valkey.Answered {
			return
		}
		select {
		case <-s.process.ended:
			s.t.Fatalf("Valkey %s ended at its start: %v\n%s", s.bin.Version, s.process.result, s.Log())
		case <-ctx.Done():
			s.t.Fatalf("Valkey %s does not answer: %s: %v\n%s", s.bin.Version, verdict, err, s.Log())
		case <-time.After(5 * time.Millisecond):
		}
	}
}
