package vkcluster

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/valkeytest"
)

// situation is a state that a server can be in, and what the probes make of it.
type situation struct {
	name            string
	settings        []string
	arrange         func(t *testing.T, s situated)
	ready, alive    bool
	says            string // part of what the readiness probe says when it fails
	livenessPatient bool   // the liveness probe is to wait for its own limit
}

// situated is a server in a pod, with another one that it can replicate.
type situated struct {
	pod         *pod
	self, other *valkeytest.Server
}

var situations = []situation{
	{name: "a primary", ready: true, alive: true, arrange: func(*testing.T, situated) {}},
	{name: "a replica in sync", ready: true, alive: true, arrange: func(t *testing.T, s situated) {
		replicate(t, s.self, s.other)
	}},
	{name: "a replica without its primary", alive: true, says: "not connected", arrange: func(t *testing.T, s situated) {
		replicate(t, s.self, s.other)
		s.other.Kill()
		await(t, "the link is down", func() bool { return strings.Contains(info(t, s.self), "master_link_status:down") })
	}},
	{
		name: "a replica that serves no stale data", alive: true, says: "not connected",
		settings: []string{"replica-serve-stale-data no"},
		arrange: func(t *testing.T, s situated) {
			replicate(t, s.self, s.other)
			s.other.Kill()
			await(t, "MASTERDOWN", func() bool { return strings.Contains(s.pod.cli("PING"), "MASTERDOWN") })
		},
	},
	{
		name: "loading its data", alive: true, says: "loading",
		settings: []string{"save 3600 1", "key-load-delay 10000", "loading-process-events-interval-bytes 1024"},
		arrange: func(t *testing.T, s situated) {
			fill(t, s.self, 3000)
			must(t, s.self, "SAVE")
			s.self.Restart()
		},
	},
	{name: "refusing the login", alive: true, says: "NOAUTH", arrange: func(_ *testing.T, s situated) {
		s.pod.write("secrets/"+userPod, "the password before last")
	}},
	{name: "busy with a script", alive: true, settings: []string{"busy-reply-threshold 50"}, says: "BUSY", arrange: func(t *testing.T, s situated) {
		conn := s.self.Conn(t)
		go conn.Do(context.Background(), valkey.Cmd("EVAL", "while true do end", "0"))
		t.Cleanup(func() { s.pod.cli("SCRIPT", "KILL") })
		await(t, "BUSY", func() bool { return strings.Contains(s.pod.cli("PING"), "BUSY") })
	}},
	{name: "out of connections", alive: true, says: "max number of clients", arrange: func(t *testing.T, s situated) {
		// The connection that sets the limit is the one that uses it up.
		reply := s.self.Conn(t).Do(context.Background(), valkey.Cmd("CONFIG", "SET", "maxclients", "1"))
		if err := reply[0].Err(); err != nil {
			t.Fatal(err)
		}
	}},
	{name: "hung", says: "no answer", livenessPatient: true, arrange: func(_ *testing.T, s situated) { s.self.Pause() }},
	{name: "down", says: "Could not connect", arrange: func(_ *testing.T, s situated) { s.self.Kill() }},
}

func TestProbes(t *testing.T) {
	t.Parallel()
	eachImage(t, func(t *testing.T, img image) {
		for _, tc := range situations {
			t.Run(tc.name, func(t *testing.T) {
				t.Parallel()
				p := passwords(t)
				servers := valkeytest.Start(t, img.Binary, 2, closed(p, tc.settings...))
				s := situated{newPod(t, img, servers[0], p), servers[0], servers[1]}
				tc.arrange(t, s)
				tc.check(t, s.pod)
			})
		}
	})
}

func (tc situation) check(t *testing.T, pod *pod) {
	t.Helper()
	said, ready := pod.script(probeScript, "readiness")
	if ready != tc.ready || !strings.Contains(said, tc.says) {
		t.Errorf("ready: %t, saying %q; want %t, saying %q", ready, said, tc.ready, tc.says)
	}
	start := time.Now()
	said, alive := pod.script(probeScript, "liveness")
	if alive != tc.alive {
		t.Errorf("alive: %t, saying %q; want %t", alive, said, tc.alive)
	}
	if took := time.Since(start); tc.livenessPatient && took < 4*time.Second {
		t.Errorf("a hung server was given up after %v", took)
	}
}

func TestProbeOfAnUnknownKind(t *testing.T) {
	p := passwords(t)
	img := newImage(t, latest, "dash")
	pod := newPod(t, img, valkeytest.Start(t, img.Binary, 1, closed(p))[0], p)
	if said, ok := pod.script(probeScript, "startup"); ok || !strings.Contains(said, "usage") {
		t.Errorf("%t, saying %q", ok, said)
	}
}
