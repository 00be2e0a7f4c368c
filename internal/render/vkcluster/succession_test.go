package vkcluster

import (
	"fmt"
	"strings"
	"testing"

	"github.com/valkey-operator/valkey-operator/internal/valkeytest"
)

// offset returns a number of INFO replication.
func offset(t *testing.T, s *valkeytest.Server, field string) int {
	t.Helper()
	n := -1
	if _, text, found := strings.Cut(info(t, s), field+":"); found {
		fmt.Sscan(text, &n)
	}
	return n
}

// heirs is a shard whose primary was killed, with the nodes.conf that it left in
// its pod. The second replica has missed the last write.
func heirs(t *testing.T, img image, voters int) (shard, *pod) {
	t.Helper()
	p := passwords(t)
	servers := valkeytest.Start(t, img.Binary, 3+voters, closed(p, "cluster-node-timeout 500"))
	s := shard{servers[0], servers[1:3], servers[3:], p}
	must(t, s.primary, "CLUSTER", "ADDSLOTSRANGE", "0", fmt.Sprint(16383-voters))
	for i, server := range servers {
		must(t, server, "CLUSTER", "SET-CONFIG-EPOCH", fmt.Sprint(i+1))
	}
	for i, voter := range s.voters {
		must(t, voter, "CLUSTER", "ADDSLOTS", fmt.Sprint(16383-i))
	}
	for _, server := range servers[1:] {
		meet(t, server, s.primary)
	}
	for _, replica := range s.replicas {
		must(t, replica, "CONFIG", "SET", "cluster-replica-no-failover", "yes") // by itself
		follow(t, replica, s.primary)
	}
	await(t, "both replicas report", func() bool {
		return lag(t, s.primary, s.replicas[0]) >= 0 && lag(t, s.primary, s.replicas[1]) >= 0
	})
	for _, server := range servers {
		await(t, "the cluster is up", func() bool {
			state := must(t, server, "CLUSTER", "INFO")
			return strings.Contains(state, "cluster_state:ok") && strings.Contains(state, fmt.Sprintf("cluster_known_nodes:%d", len(servers)))
		})
	}
	here := newPod(t, img, s.primary, s.p)
	must(t, s.primary, "CLUSTER", "SAVECONFIG")
	s.replicas[1].Pause()
	must(t, s.primary, "SET", "n", strings.Repeat("x", 64<<20)) // more than the kernel keeps for a paused one
	await(t, "the first replica has the write", func() bool {
		return offset(t, s.replicas[0], "slave_repl_offset") >= offset(t, s.primary, "master_repl_offset")
	})
	s.primary.Kill()
	s.replicas[1].Resume()
	for _, replica := range s.replicas {
		await(t, "the replica misses its primary", func() bool { return strings.Contains(info(t, replica), "master_link_status:down") })
	}
	return s, here
}

// awaitSuccession runs the script as the gate does, again and again until it
// succeeds. It must have said how it came to that.
func (p *pod) awaitSuccession(how string, args ...string) {
	p.t.Helper()
	var all strings.Builder
	await(p.t, "somebody takes over", func() bool {
		said, ok := p.script(successionScript, args...)
		fmt.Fprintln(&all, said)
		return ok
	})
	if said := all.String(); !strings.Contains(said, how) || !strings.Contains(said, "has taken over") {
		p.t.Errorf("said %q, want %q", said, how)
	}
}

// noSuccession runs the script once, which must change nothing.
func (s shard) noSuccession(t *testing.T, pod *pod, args ...string) string {
	t.Helper()
	said, ok := pod.script(successionScript, args...)
	if ok {
		t.Errorf("%v succeeded, saying %q", args, said)
	}
	if roles := s.replicaRoles(t); roles != "slave slave" {
		t.Errorf("after %v the replicas are %s; it said %q", args, roles, said)
	}
	return said
}

// replicaRoles are the roles of the two replicas, the one that has everything
// first.
func (s shard) replicaRoles(t *testing.T) string {
	t.Helper()
	var roles []string
	for _, replica := range s.replicas {
		roles = append(roles, strings.TrimPrefix(strings.Fields(info(t, replica))[2], "role:"))
	}
	return strings.Join(roles, " ")
}

// Where nobody can be elected, the best replica takes over before its killed
// primary comes back (N9).
func TestSuccessionWithoutAVote(t *testing.T) {
	t.Parallel()
	eachImage(t, func(t *testing.T, img image) {
		s, pod := heirs(t, img, 0)
		pod.awaitSuccession("without a vote", "1", "9", "ended")
		if roles := s.replicaRoles(t); roles != "master slave" {
			t.Errorf("the replicas are %s", roles)
		}
	})
}

// Where there may be a vote, it is asked for.
func TestSuccessionByVote(t *testing.T) {
	t.Parallel()
	eachImage(t, func(t *testing.T, img image) {
		s, pod := heirs(t, img, 2)
		if said := s.noSuccession(t, pod, "2", "9", "ended"); said != "" { // it was asked before
			t.Errorf("said %q", said)
		}
		pod.awaitSuccession("by a vote", "1", "9", "ended")
		if roles := s.replicaRoles(t); roles != "master slave" {
			t.Errorf("the replicas are %s", roles)
		}
	})
}

// Whoever does not know that the server has ended only looks on (N11), and sees
// it when another one leads.
func TestSuccessionIsWatched(t *testing.T) {
	t.Parallel()
	eachImage(t, func(t *testing.T, img image) {
		s, pod := heirs(t, img, 0)
		for _, left := range []string{"9", "0"} {
			if said := s.noSuccession(t, pod, "1", left); said != "" {
				t.Errorf("said %q", said)
			}
		}
		must(t, s.replicas[0], "CLUSTER", "FAILOVER", "TAKEOVER")
		pod.awaitSuccession("", "1", "9")
	})
}

// A replica that does not answer may have got further than the others, so it is
// waited for as long as there is time.
func TestSuccessionWaitsForTheSilent(t *testing.T) {
	t.Parallel()
	eachImage(t, func(t *testing.T, img image) {
		s, pod := heirs(t, img, 0)
		s.replicas[0].Pause()
		if said, ok := pod.script(successionScript, "1", "9", "ended"); ok || said != "" {
			t.Errorf("%t, saying %q", ok, said)
		}
		s.replicas[0].Resume()
		pod.awaitSuccession("without a vote", "1", "9", "ended")
		if roles := s.replicaRoles(t); roles != "master slave" {
			t.Errorf("the replicas are %s", roles)
		}
	})
}

// When the time is up, the replicas that answer are better than older data.
func TestSuccessionOfTheRest(t *testing.T) {
	t.Parallel()
	eachImage(t, func(t *testing.T, img image) {
		s, pod := heirs(t, img, 0)
		s.replicas[0].Kill()
		pod.awaitSuccession("without a vote", "10", "0", "ended")
		if role := must(t, s.replicas[1], "INFO", "replication"); !strings.Contains(role, "role:master") {
			t.Errorf("the replica says %q", role)
		}
	})
}

// Primaries that are silent may be alive and elect somebody; those at whose
// addresses nothing listens do not.
func TestSuccessionWhenTheOthersAreGone(t *testing.T) {
	t.Parallel()
	eachImage(t, func(t *testing.T, img image) {
		s, pod := heirs(t, img, 2)
		for _, voter := range s.voters {
			voter.Pause()
		}
		await(t, "the replicas miss the others", func() bool {
			return strings.Count(must(t, s.replicas[0], "CLUSTER", "NODES"), "master,fail?") == 3
		})
		for _, left := range []string{"9", "0"} {
			if said := s.noSuccession(t, pod, "1", left, "ended"); strings.Contains(said, "without a vote") {
				t.Errorf("with %s s left it said %q", left, said)
			}
		}
		for _, voter := range s.voters {
			voter.Kill()
		}
		s.noSuccession(t, pod, "1", "9", "ended")
		pod.awaitSuccession("without a vote", "10", "0", "ended")
		if roles := s.replicaRoles(t); roles != "master slave" {
			t.Errorf("the replicas are %s", roles)
		}
	})
}

// A replica that still has a primary keeps it: this pod's server is not the only
// one of its ID.
func TestNoSuccessionWhileThePrimaryServes(t *testing.T) {
	t.Parallel()
	eachImage(t, func(t *testing.T, img image) {
		s := newShard(t, img)
		pod := newPod(t, img, s.primary, s.p)
		must(t, s.primary, "CLUSTER", "SAVECONFIG")
		if said := s.noSuccession(t, pod, "10", "0", "ended"); said != "" {
			t.Errorf("said %q", said)
		}
		if roles := s.roles(t); roles[0] != "master" {
			t.Errorf("roles are %v", roles)
		}
	})
}
