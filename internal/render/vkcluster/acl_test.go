package vkcluster

import (
	"fmt"
	"strings"
	"testing"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/valkeytest"
)

// What each system user needs, and what of the rest would do harm.
var rights = map[string]struct{ granted, denied []string }{
	userExporter: {
		granted: []string{"INFO all", "CONFIG GET maxmemory", "SLOWLOG GET", "LATENCY LATEST", "CLUSTER INFO", "CLIENT LIST", "DBSIZE", "PING"},
		denied:  []string{"GET key", "SET key value", "CONFIG SET maxmemory 1", "ACL LIST", "CLUSTER FAILOVER", "FLUSHALL", "SHUTDOWN", "KEYS *"},
	},
	userOperator: {
		granted: []string{
			"PING", "INFO replication", "ROLE", "DBSIZE", "WAIT 1 1", "CONFIG GET *", "CONFIG SET maxmemory 1", "ACL LOAD", "ACL LIST",
			"CLUSTER NODES", "CLUSTER MEET 127.0.0.1 6379", "CLUSTER FORGET id", "CLUSTER REPLICATE id", "CLUSTER FAILOVER FORCE",
			"CLUSTER SETSLOT 1 STABLE", "CLUSTER ADDSLOTSRANGE 0 1", "CLUSTER RESET HARD", "CLIENT SETNAME me", "COMMAND INFO get",
		},
		denied: []string{"GET key", "SET key value", "FLUSHALL", "FLUSHDB", "ACL SETUSER me on", "SHUTDOWN", "DEBUG SLEEP 1", "REPLICAOF no one", "EVAL x 0", "CONFIG REWRITE"},
	},
	userPod: {
		granted: []string{"PING", "INFO replication persistence", "CLUSTER NODES", "CLUSTER FAILOVER TAKEOVER"},
		denied:  []string{"GET key", "CONFIG GET *", "CLUSTER RESET", "CLUSTER FORGET id", "CLUSTER MEET 127.0.0.1 6379", "CLUSTER SAVECONFIG", "ACL LIST", "FLUSHALL", "SHUTDOWN"},
	},
	userReplication: {
		granted: []string{"PING", "PSYNC ? -1", "SYNC", "REPLCONF ACK 1", "SELECT 0", "SET key value", "RESTORE-ASKING key 0 x"},
		denied: []string{
			"CONFIG GET *", "FLUSHALL", "FLUSHDB", "SWAPDB 0 1", "SHUTDOWN", "ACL LIST", "EVAL x 0", "FUNCTION FLUSH", "CLUSTER FAILOVER", "CLUSTER RESET", "CLUSTER FORGET id",
			"CLUSTER MEET 127.0.0.1 6379", "CLUSTER SETSLOT 1 STABLE", "CLUSTER ADDSLOTS 1", "CLUSTER DELSLOTS 1", "CLUSTER REPLICATE id",
			"CLUSTER GETKEYSINSLOT 1 1", "CLUSTER BUMPEPOCH", "CLUSTER FLUSHSLOTS", "CLUSTER SET-CONFIG-EPOCH 1", "CLUSTER SAVECONFIG",
		},
	},
}

func TestRightsOfSystemUsers(t *testing.T) {
	valkeytest.Each(t, func(t *testing.T, bin valkeytest.Binary) {
		server := valkeytest.Start(t, bin, 1, closed(passwords(t)))[0]
		for user, right := range rights {
			for _, command := range right.granted {
				if says := dryRun(t, server, user, command); says != "OK" {
					t.Errorf("%s needs %s: %s", user, command, says)
				}
			}
			for _, command := range right.denied {
				if says := dryRun(t, server, user, command); !strings.Contains(says, "no permission") {
					t.Errorf("%s should not be allowed %s: %s", user, command, says)
				}
			}
		}
	})
}

func dryRun(t *testing.T, s *valkeytest.Server, user, command string) string {
	t.Helper()
	return must(t, s, append([]string{"ACL", "DRYRUN", user}, strings.Fields(command)...)...)
}

func TestEveryUserHasRulesAndRights(t *testing.T) {
	for _, user := range systemUsers {
		if rules[user] == "" {
			t.Errorf("%s has no rules", user)
		}
		if _, tested := rights[user]; !tested {
			t.Errorf("the rights of %s are not tested", user)
		}
	}
	if got, want := len(rules), len(systemUsers)+1; got != want {
		t.Errorf("rules for %d users, want %d", got, want)
	}
}

func TestNobodyGetsInWithoutPassword(t *testing.T) {
	t.Parallel()
	valkeytest.Each(t, func(t *testing.T, bin valkeytest.Binary) {
		p := passwords(t)
		options := closed(p)
		server := valkeytest.Start(t, bin, 1, options)[0]
		pod := newPod(t, newImage(t, bin.Version, "dash"), server, Passwords{})
		if says := pod.cli("PING"); !strings.Contains(says, "NOAUTH") {
			t.Errorf("without a password: %q", says)
		}
		for _, user := range append([]string{userDefault}, systemUsers...) {
			says, _ := pod.run(nil, "env", "valkey-cli", "-h", server.Addr().Addr().String(), "--user", user, "-a", p.of(user), "--no-auth-warning", "PING")
			if says != "PONG" {
				t.Errorf("%s with the password: %q", user, says)
			}
		}
	})
}

// Replicas that use a second channel for the data log in with SYNC too.
func TestDualChannelReplication(t *testing.T) {
	t.Parallel()
	valkeytest.Each(t, func(t *testing.T, bin valkeytest.Binary) {
		servers := valkeytest.Start(t, bin, 2, closed(passwords(t), "dual-channel-replication-enabled yes"))
		fill(t, servers[0], 100)
		meet(t, servers[1], servers[0])
		follow(t, servers[1], servers[0])
	})
}

// The server reads the password for replication back as it is, whatever people
// may have put into the Secret.
func TestPasswordForReplicationIsQuoted(t *testing.T) {
	valkeytest.Each(t, func(t *testing.T, bin valkeytest.Binary) {
		odd := "a \"quoted\" 'one', \\back\\slashed, with \t and é and #"
		p := ReadPasswords(map[string][]byte{userReplication: []byte(odd)}, nil)
		server := valkeytest.Start(t, bin, 1, valkeytest.Options{
			Settings: []string{"include " + replicationFile},
			Files:    map[string]string{replicationFile: replicationConfig(p)},
		})[0]
		reply := server.Conn(t).Do(t.Context(), valkey.Cmd("CONFIG", "GET", "primaryauth"))[0]
		got, err := valkey.ParseConfig(reply)
		if err != nil {
			t.Fatal(err)
		}
		if got["primaryauth"] != odd {
			t.Errorf("the server reads %q, want %q", got["primaryauth"], odd)
		}
	})
}

func TestACLFileHoldsNoPassword(t *testing.T) {
	p := passwords(t)
	file := aclFile(p)
	for _, user := range append([]string{userDefault}, systemUsers...) {
		if strings.Contains(file, p.of(user)) {
			t.Errorf("the ACL file holds the password of %s", user)
		}
		if !strings.Contains(file, fmt.Sprintf("user %s on #", user)) {
			t.Errorf("the ACL file lacks %s", user)
		}
	}
}
