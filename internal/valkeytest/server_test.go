package valkeytest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/valkeytest"
)

func nodeID(t *testing.T, s *valkeytest.Server) valkey.NodeID {
	t.Helper()
	id, err := valkey.MyID(t.Context(), s.Conn(t))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestServersLifeAndDeath(t *testing.T) {
	valkeytest.Each(t, func(t *testing.T, bin valkeytest.Binary) {
		servers := valkeytest.Start(t, bin, 2, valkeytest.Options{
			Settings: []string{"cluster-node-timeout 777"}, Files: map[string]string{"extra.txt": "kept"},
		})
		s, other := servers[0], servers[1]
		if s.Addr() == other.Addr() || s.Dir() == other.Dir() {
			t.Fatalf("two servers share %s or %s", s.Addr(), s.Dir())
		}
		o, err := valkey.Observe(t.Context(), s.Conn(t))
		if err != nil || o.NodeTimeout.Milliseconds() != 777 || o.Server.Version.String()[:3] != bin.Version {
			t.Fatalf("%+v, %v", o, err)
		}

		id, addr := nodeID(t, s), s.Addr()
		for name, end := range map[string]func(){"Stop": s.Stop, "Kill": s.Kill} {
			end()
			if verdict, _ := (valkey.TCP{}).Probe(t.Context(), s.Target()); verdict != valkey.Refused {
				t.Errorf("after %s: %s", name, verdict)
			}
			s.Restart()
			if nodeID(t, s) != id || s.Addr() != addr {
				t.Errorf("restart after %s changed identity or address", name)
			}
		}
		s.Restart() // also while it runs

		s.Kill()
		s.Move()
		s.Configure("cluster-node-timeout 888")
		s.Restart()
		values, err := valkey.ConfigGet(t.Context(), s.Conn(t), "cluster-node-timeout")
		if nodeID(t, s) != id || s.Addr() == addr || values["cluster-node-timeout"] != "888" || err != nil {
			t.Errorf("moved: at %s, %v, %v", s.Addr(), values, err)
		}

		s.Kill()
		s.Wipe()
		if _, err := os.Stat(filepath.Join(s.Dir(), "nodes.conf")); !os.IsNotExist(err) {
			t.Errorf("nodes.conf after Wipe: %v", err)
		}
		if text, err := os.ReadFile(filepath.Join(s.Dir(), "extra.txt")); string(text) != "kept" || err != nil {
			t.Errorf("file of the test after Wipe: %q, %v", text, err)
		}
		s.Restart()
		if nodeID(t, s) == id {
			t.Error("a wiped server kept its identity")
		}

		s.Configure("nonsense 1")
		s.Relaunch()
		if err := s.AwaitEnd(); err == nil || !strings.Contains(s.Log(), "nonsense") {
			t.Errorf("a bad configuration ended with %v:\n%s", err, s.Log())
		}
	})
}
