package vkcluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/valkeytest"
)

// shard is a primary with nearly all slots and its replicas. Two more primaries
// are there to vote.
type shard struct {
	primary  *valkeytest.Server
	replicas []*valkeytest.Server
	voters   []*valkeytest.Server
	p        Passwords
}

// newShard forms a shard with two replicas in sync.
func newShard(t *testing.T, img image, settings ...string) shard {
	t.Helper()
	p := passwords(t)
	servers := valkeytest.Start(t, img.Binary, 5, closed(p, settings...))
	s := shard{servers[0], servers[1:3], servers[3:], p}
	must(t, s.primary, "CLUSTER", "ADDSLOTSRANGE", "0", "16381")
	must(t, s.voters[0], "CLUSTER", "ADDSLOTS", "16382")
	must(t, s.voters[1], "CLUSTER", "ADDSLOTS", "16383")
	for i, server := range servers {
		must(t, server, "CLUSTER", "SET-CONFIG-EPOCH", fmt.Sprint(i+1))
	}
	for _, server := range servers[1:] {
		meet(t, server, s.primary)
	}
	for _, replica := range s.replicas {
		follow(t, replica, s.primary)
	}
	for _, server := range servers {
		await(t, "the cluster is up", func() bool {
			state := must(t, server, "CLUSTER", "INFO")
			return strings.Contains(state, "cluster_state:ok") && strings.Contains(state, "cluster_known_nodes:5")
		})
	}
	await(t, "both replicas report", func() bool {
		return lag(t, s.primary, s.replicas[0]) >= 0 && lag(t, s.primary, s.replicas[1]) >= 0
	})
	return s
}

// lag returns the seconds since the primary has heard of the replica, or -1
// while it is not in sync.
func lag(t *testing.T, primary, replica *valkeytest.Server) int {
	t.Helper()
	_, line, _ := strings.Cut(info(t, primary), "ip="+replica.Addr().Addr().String()+",port=6379,state=online,")
	seconds := -1
	if _, text, found := strings.Cut(line, "lag="); found {
		fmt.Sscan(text, &seconds)
	}
	return seconds
}

// roles returns what the primary and its replicas say of themselves.
func (s shard) roles(t *testing.T) []string {
	t.Helper()
	var roles []string
	for _, server := range append([]*valkeytest.Server{s.primary}, s.replicas...) {
		roles = append(roles, strings.TrimPrefix(strings.Fields(info(t, server))[2], "role:"))
	}
	return roles
}

// writer writes numbers to the key "n" of a server until it is refused there,
// and returns the last one that was acknowledged.
func writer(t *testing.T, s *valkeytest.Server) (last func() int) {
	t.Helper()
	conn := s.Conn(t)
	done := make(chan int)
	go func() {
		n := 0
		for conn.Do(context.Background(), valkey.Cmd("SET", "n", fmt.Sprint(n+1)))[0].Err() == nil {
			n++
		}
		done <- n
	}()
	return func() int { return <-done }
}

func TestPrimaryHandsOverBeforeItStops(t *testing.T) {
	t.Parallel()
	eachImage(t, func(t *testing.T, img image) {
		s := newShard(t, img)
		pod := newPod(t, img, s.primary, s.p)
		last := writer(t, s.primary)

		start := time.Now()
		if said, ok := pod.script(preStopScript); !ok || said != "" {
			t.Errorf("%t, saying %q", ok, said)
		}
		t.Logf("handed over in %v", time.Since(start).Round(time.Millisecond))

		roles := s.roles(t)
		if roles[0] != "slave" || !slices.Contains(roles[1:], "master") {
			t.Fatalf("roles are %v, want another primary", roles)
		}
		if !strings.Contains(pod.log(), "has taken over") {
			t.Errorf("the log says %q", pod.log())
		}
		successor := s.replicas[slices.Index(roles[1:], "master")]
		if got, want := must(t, successor, "GET", "n"), fmt.Sprint(last()); got != want {
			t.Errorf("%s writes were kept of %s that were acknowledged", got, want)
		}
	})
}

func TestHungReplicaIsPassedOver(t *testing.T) {
	t.Parallel()
	eachImage(t, func(t *testing.T, img image) {
		s := newShard(t, img)
		s.replicas[0].Pause()
		await(t, "it lags", func() bool { return lag(t, s.primary, s.replicas[0]) > 2 })
		pod := newPod(t, img, s.primary, s.p)
		if _, ok := pod.script(preStopScript); !ok {
			t.Error("the hook failed")
		}
		s.replicas[0].Resume()
		if got := s.roles(t); got[0] != "slave" || got[2] != "master" {
			t.Errorf("roles are %v, want the other replica to be primary", got)
		}
	})
}

func TestRefusingReplicaIsPassedOver(t *testing.T) {
	t.Parallel()
	eachImage(t, func(t *testing.T, img image) {
		s := newShard(t, img)
		must(t, s.replicas[0], "ACL", "SETUSER", userPod, "-cluster")
		must(t, s.replicas[1], "ACL", "SETUSER", userPod, "-cluster")
		pod := newPod(t, img, s.primary, s.p)
		if _, ok := pod.script(preStopScript); !ok {
			t.Error("the hook failed")
		}
		if got := strings.Count(pod.log(), "NOPERM"); got != 2 {
			t.Errorf("%d replicas were asked, want both; the log says %q", got, pod.log())
		}
		if got := s.roles(t); got[0] != "master" {
			t.Errorf("roles are %v", got)
		}
	})
}

// A pod that has nothing to hand over, or cannot, stops without trying.
func TestNothingToHandOver(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		arrange func(t *testing.T, s shard) *valkeytest.Server // the one that stops
		logs    string
	}{
		{"a replica", func(_ *testing.T, s shard) *valkeytest.Server { return s.replicas[0] }, ""},
		{"a server that is down", func(_ *testing.T, s shard) *valkeytest.Server {
			s.replicas[0].Kill()
			return s.replicas[0]
		}, ""},
		{"a server that hangs", func(_ *testing.T, s shard) *valkeytest.Server {
			s.primary.Pause()
			return s.primary
		}, ""},
		{"a primary without replicas", func(t *testing.T, s shard) *valkeytest.Server {
			for _, replica := range s.replicas {
				replica.Kill()
			}
			await(t, "they are gone", func() bool { return strings.Contains(info(t, s.primary), "connected_slaves:0") })
			return s.primary
		}, ""},
		{"a primary with hung replicas", func(t *testing.T, s shard) *valkeytest.Server {
			for _, replica := range s.replicas {
				replica.Pause()
			}
			await(t, "they lag", func() bool {
				return lag(t, s.primary, s.replicas[0]) > 2 && lag(t, s.primary, s.replicas[1]) > 2
			})
			return s.primary
		}, "no replica is able"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			img := newImage(t, latest, "dash")
			s := newShard(t, img, "repl-timeout 3600", "cluster-node-timeout 60000")
			pod := newPod(t, img, tc.arrange(t, s), s.p)
			if said, ok := pod.script(preStopScript); !ok {
				t.Errorf("the hook failed: %q", said)
			}
			if !strings.Contains(pod.log(), tc.logs) || (tc.logs == "" && pod.log() != "") {
				t.Errorf("the log says %q, want %q", pod.log(), tc.logs)
			}
		})
	}
}

// A failover that nobody votes for is given up by the servers after 5 s, and
// the hook with them; it ends at once when the replica is gone.
func TestFailoverThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		meantime func(replica *valkeytest.Server)
		logs     string
	}{
		{"no votes", func(*valkeytest.Server) {}, "has not taken over in time"},
		{"the replica dies", func(r *valkeytest.Server) { r.Kill() }, "has gone away"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			img := newImage(t, latest, "dash")
			s := newShard(t, img, "cluster-node-timeout 60000")
			s.replicas[1].Kill()
			for _, voter := range s.voters {
				voter.Pause()
			}
			pod := newPod(t, img, s.primary, s.p)
			ended := make(chan bool)
			go func() {
				_, ok := pod.script(preStopScript)
				ended <- ok
			}()
			await(t, "the primary waits for the replica", func() bool {
				return strings.Contains(s.replicas[0].Log(), "Manual failover") || strings.Contains(s.primary.Log(), "Manual failover")
			})
			tc.meantime(s.replicas[0])
			if ok := <-ended; !ok {
				t.Error("the hook failed")
			}
			if !strings.Contains(pod.log(), tc.logs) {
				t.Errorf("the log says %q", pod.log())
			}
		})
	}
}
