package vkcluster

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/valkeytest"
)

// patience is how long a server may take to get where a test wants it.
const patience = time.Minute

// do sends one command to a server, logged in as the user default.
func do(t *testing.T, s *valkeytest.Server, args ...string) (string, error) {
	t.Helper()
	conn := s.Conn(t)
	defer conn.Close()
	return conn.Do(context.Background(), valkey.Cmd(args...))[0].Text()
}

// must is do for commands that cannot fail.
func must(t *testing.T, s *valkeytest.Server, args ...string) string {
	t.Helper()
	text, err := do(t, s, args...)
	if err != nil {
		t.Fatalf("%s: %v", args[0], err)
	}
	return text
}

func info(t *testing.T, s *valkeytest.Server) string {
	t.Helper()
	return must(t, s, "INFO", "replication")
}

// await waits until it is so.
func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	for start := time.Now(); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Since(start) > patience {
			t.Fatalf("after %v it is still not so that %s", patience, what)
		}
	}
}

// own gives all slots to the server.
func own(t *testing.T, s *valkeytest.Server) {
	t.Helper()
	must(t, s, "CLUSTER", "ADDSLOTSRANGE", "0", "16383")
	await(t, "the slots are served", func() bool {
		return strings.Contains(must(t, s, "CLUSTER", "INFO"), "cluster_state:ok")
	})
}

// replicate makes a server without slots the replica of one that owns them
// all, and waits until it has everything.
func replicate(t *testing.T, replica, primary *valkeytest.Server) {
	t.Helper()
	own(t, primary)
	meet(t, replica, primary)
	follow(t, replica, primary)
}

func meet(t *testing.T, a, b *valkeytest.Server) {
	t.Helper()
	must(t, a, "CLUSTER", "MEET", b.Addr().Addr().String(), fmt.Sprint(b.Addr().Port()))
}

func follow(t *testing.T, replica, primary *valkeytest.Server) {
	t.Helper()
	id := must(t, primary, "CLUSTER", "MYID")
	await(t, "REPLICATE is accepted", func() bool {
		_, err := do(t, replica, "CLUSTER", "REPLICATE", id)
		return err == nil
	})
	await(t, "the replica is in sync", func() bool {
		return strings.Contains(info(t, replica), "master_link_status:up")
	})
}

// fill gives all slots and n keys to a server.
func fill(t *testing.T, s *valkeytest.Server, n int) {
	t.Helper()
	own(t, s)
	cmds := make([]valkey.Command, n)
	for i := range cmds {
		cmds[i] = valkey.Cmd("SET", fmt.Sprint("key:", i), strings.Repeat("v", 100))
	}
	for _, reply := range s.Conn(t).Do(context.Background(), cmds...) {
		if reply.Err() != nil {
			t.Fatal(reply.Err())
		}
	}
}
