package watch

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

const (
	primary = "valkey_version:9.1.2\r\nrun_id:%s\r\nrole:master\r\nmaster_repl_offset:%d\r\n"
	replica = "valkey_version:9.1.2\r\nrun_id:a\r\nrole:slave\r\nmaster_host:%s\r\nmaster_port:6379\r\nmaster_link_status:%s\r\nslave_repl_offset:%d\r\n"
)

// heard are the observations that a subscriber was told.
type heard struct {
	mu  sync.Mutex
	all []Observation
}

func (h *heard) hear(_ Key, o Observation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, o)
}

// take returns what was heard since it was last called.
func (h *heard) take() []Observation {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := h.all
	h.all = nil
	return all
}

func target(_ context.Context, a netip.AddrPort) (valkey.Target, error) {
	return valkey.Target{Addr: a}, nil
}

var key = Key{Namespace: "ns", Name: "cache-0-0"}

// watching runs f with a watcher of s, in a bubble whose clock is fake.
func watching(t *testing.T, s *server, f func(*Watcher, *heard)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w, h := New(s, Interval), &heard{}
		w.Subscribe(h.hear)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- w.Start(ctx) }()
		w.Watch(key, Subject{Pod: "uid-1", Addr: addr, Target: target})
		synctest.Wait()
		f(w, h)
		stop()
		<-done
	})
}

func TestTellsChangesOfMeaningWithinTwoSeconds(t *testing.T) {
	s := &server{up: true, info: fmt.Sprintf(replica, "10.0.0.2", "up", 1)}
	for _, change := range []struct {
		name, info string
		want       func(Observation) bool
	}{
		{"promoted", fmt.Sprintf(primary, "a", 2), func(o Observation) bool { return o.Role == valkey.Primary && o.Primary == Endpoint{} }},
		{"other primary", fmt.Sprintf(replica, "node-2.valkey.ns.svc.", "up", 2), func(o Observation) bool { return o.Primary.Host == "node-2.valkey.ns.svc" }},
		{"link down", fmt.Sprintf(replica, "node-2.valkey.ns.svc", "down", 2), func(o Observation) bool { return !o.LinkUp }},
		{"restarted", fmt.Sprintf(primary, "b", 0), func(o Observation) bool { return o.RunID == "b" }},
	} {
		t.Run(change.name, func(t *testing.T) {
			watching(t, s, func(_ *Watcher, h *heard) {
				h.take()
				s.start(change.info)
				time.Sleep(2 * time.Second)
				got := h.take()
				if len(got) != 1 || !got[0].Reachable || !change.want(got[0]) {
					t.Errorf("told %+v", got)
				}
			})
		})
	}
}

func TestOffsetsAreNotTold(t *testing.T) {
	s := &server{up: true, info: fmt.Sprintf(primary, "a", 1)}
	watching(t, s, func(_ *Watcher, h *heard) {
		if got := h.take(); len(got) != 1 || got[0].Pod != "uid-1" {
			t.Fatalf("first told %+v", got)
		}
		for offset := range 40 {
			s.start(fmt.Sprintf(primary, "a", offset))
			time.Sleep(Interval)
		}
		if got := h.take(); len(got) != 0 {
			t.Errorf("told %+v", got)
		}
	})
}

// A server that cannot save says why, as far as it tells others than its log.
func TestSaveErrorIsTold(t *testing.T) {
	healthy := fmt.Sprintf(primary, "a", 1)
	s := &server{up: true, info: healthy}
	watching(t, s, func(_ *Watcher, h *heard) {
		h.take()
		for _, test := range []struct {
			info string
			ping valkey.Reply
			want string
		}{
			{healthy + "rdb_last_bgsave_status:err\r\n", valkey.TextReply("PONG"), "the last attempt failed; its log says why"},
			{healthy + "aof_last_write_status:err\r\n", valkey.ErrReply(valkey.NewServerError("MISCONF no space")), "MISCONF no space"},
			{healthy, valkey.Reply{}, ""},
		} {
			s.set(func() { s.info, s.ping = test.info, test.ping })
			time.Sleep(2 * time.Second)
			if got := h.take(); len(got) != 1 || got[0].SaveError != test.want || !got[0].Reachable {
				t.Errorf("told %+v, want the save error %q", got, test.want)
			}
		}
	})
}

func TestAsksLessThanOnceASecond(t *testing.T) {
	s := &server{up: true, info: fmt.Sprintf(primary, "a", 1)}
	watching(t, s, func(*Watcher, *heard) {
		before, _ := s.count()
		time.Sleep(time.Minute)
		after, dials := s.count()
		if asked := after - before; asked > 46 || asked < 36 {
			t.Errorf("asked %d times in a minute", asked)
		}
		if dials != 1 {
			t.Errorf("%d connections, want one to ask and to hold", dials)
		}
	})
}

func TestCrashIsToldAtOnceAndSoIsTheReturn(t *testing.T) {
	s := &server{up: true, info: fmt.Sprintf(primary, "a", 1)}
	watching(t, s, func(w *Watcher, h *heard) {
		h.take()
		s.crash()
		synctest.Wait() // no time passes
		got := h.take()
		if len(got) != 1 || got[0].Reachable || !got[0].Closed || !errors.Is(got[0].Err, valkey.ErrRefused) {
			t.Fatalf("told %+v", got)
		}
		time.Sleep(time.Minute)
		if last, _ := w.Last(key); !last.Closed || !errors.Is(last.Err, valkey.ErrRefused) || last.Why() != "dial: connection refused" {
			t.Errorf("a minute later: %+v", last)
		}
		h.take()
		s.start(fmt.Sprintf(primary, "b", 1))
		time.Sleep(2 * time.Second)
		if got := h.take(); len(got) != 1 || !got[0].Reachable || got[0].Closed || got[0].RunID != "b" {
			t.Errorf("told %+v", got)
		}
	})
}

func TestServerThatDropsIdleConnectionsStaysReachable(t *testing.T) {
	s := &server{up: true, info: fmt.Sprintf(primary, "a", 1)}
	watching(t, s, func(_ *Watcher, h *heard) {
		h.take()
		for range 10 {
			s.dropHeld()
			time.Sleep(200 * time.Millisecond)
		}
		if got := h.take(); len(got) != 0 {
			t.Errorf("told %+v", got)
		}
		asked, _ := s.count()
		if asked > 15 {
			t.Errorf("asked %d times in two seconds", asked)
		}
		s.crash()
		synctest.Wait()
		if got := h.take(); len(got) != 1 || !got[0].Closed {
			t.Errorf("a crash after that: %+v", got)
		}
	})
}

// A server that is full of clients is asked on the connection that is there.
// When that one is lost too, the server is alive and unknown, not dead (N11).
func TestFullServer(t *testing.T) {
	s := &server{up: true, info: fmt.Sprintf(primary, "a", 1)}
	full := valkey.NewServerError("ERR max number of clients reached")
	watching(t, s, func(_ *Watcher, h *heard) {
		h.take()
		s.set(func() { s.refusal = full })
		before, _ := s.count()
		time.Sleep(time.Minute)
		asked, dials := s.count()
		if got := h.take(); len(got) != 0 || asked < before+30 || dials != 1 {
			t.Errorf("told %+v, asked %d times on %d connections", got, asked-before, dials)
		}
		s.dropHeld()
		time.Sleep(time.Minute)
		got := h.take()
		if len(got) != 1 || got[0].Reachable || !errors.Is(got[0].Err, valkey.ErrMaxClients) || got[0].Why() != full.Error() {
			t.Errorf("told %+v", got)
		}
		s.set(func() { s.refusal = nil })
		time.Sleep(2 * time.Second)
		if got := h.take(); len(got) != 1 || !got[0].Reachable || got[0].Closed {
			t.Errorf("told %+v", got)
		}
	})
}

func TestOtherPodUnderTheSameKey(t *testing.T) {
	s := &server{up: true, info: fmt.Sprintf(primary, "a", 1)}
	watching(t, s, func(w *Watcher, h *heard) {
		h.take()
		w.Watch(key, Subject{Pod: "uid-1", Addr: addr, Target: target})
		synctest.Wait()
		if got := h.take(); len(got) != 0 {
			t.Errorf("watching the same again: told %+v", got)
		}
		w.Watch(key, Subject{Pod: "uid-2", Addr: addr, Target: target})
		if _, seen := w.Last(key); seen {
			t.Error("the other pod has an observation before it was asked")
		}
		synctest.Wait()
		if got := h.take(); len(got) != 1 || got[0].Pod != "uid-2" {
			t.Errorf("told %+v", got)
		}
		w.Stop(key)
		asked, _ := s.count()
		time.Sleep(time.Minute)
		if later, _ := s.count(); later != asked {
			t.Errorf("asked %d times after Stop", later-asked)
		}
	})
}

func TestMissingLoginIsSaid(t *testing.T) {
	s := &server{up: true, info: fmt.Sprintf(primary, "a", 1)}
	watching(t, s, func(w *Watcher, h *heard) {
		missing := errors.New("Secret auth has no key operator")
		w.Stop(key)
		h.take()
		w.Watch(key, Subject{Pod: "uid-1", Addr: addr, Target: func(context.Context, netip.AddrPort) (valkey.Target, error) {
			return valkey.Target{}, missing
		}})
		time.Sleep(time.Minute)
		got := h.take()
		if len(got) != 1 || got[0].Reachable || got[0].Why() != missing.Error() {
			t.Errorf("told %+v", got)
		}
	})
}

func TestReplicasOf(t *testing.T) {
	s := &server{up: true, info: fmt.Sprintf(replica, "10.0.0.2", "up", 1)}
	watching(t, s, func(w *Watcher, _ *heard) {
		at := func(wanted string) func(string) bool { return func(host string) bool { return host == wanted } }
		if got := w.ReplicasOf(at("10.0.0.2")); len(got) != 1 || got[0] != key {
			t.Errorf("replicas of 10.0.0.2: %v", got)
		}
		if got := w.ReplicasOf(at("10.0.0.3")); len(got) != 0 {
			t.Errorf("replicas of 10.0.0.3: %v", got)
		}
	})
}
