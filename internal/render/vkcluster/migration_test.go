package vkcluster

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/valkeytest"
)

// A 9.x server migrates slots by logging in at the target as the user for
// replication, and writes there whatever its clients write meanwhile; the
// operator asks for it.
func TestSlotMigrationWithTheseUsers(t *testing.T) {
	t.Parallel()
	p := passwords(t)
	servers := valkeytest.Start(t, valkeytest.Find(t, latest), 2, closed(p))
	source, target := servers[0], servers[1]
	fill(t, source, 100)
	fillTypes(t, source)
	must(t, target, "CLUSTER", "SET-CONFIG-EPOCH", "7")
	meet(t, target, source)
	id := must(t, target, "CLUSTER", "MYID")
	await(t, "the source knows the target", func() bool { return strings.Contains(must(t, source, "CLUSTER", "NODES"), id) })

	written := writeOn(t, source)
	operator := loggedIn(t, source, userOperator, p)
	await(t, "the migration is accepted", func() bool {
		return operator.Do(t.Context(), valkey.Cmd("CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", "0", "16383", "NODE", id))[0].Err() == nil
	})
	await(t, "the target serves the slots", func() bool {
		_, err := do(t, target, "GET", "{n}")
		return err == nil
	})
	if got, want := must(t, target, "GET", "{n}"), fmt.Sprint(written()); got != want {
		t.Errorf("%s writes have moved of %s that were acknowledged", got, want)
	}
	if got := must(t, target, "DBSIZE"); got != "108" {
		t.Errorf("%s keys have moved, want 108", got)
	}
}

// fillTypes writes a key of each type, and one that expires.
func fillTypes(t *testing.T, s *valkeytest.Server) {
	t.Helper()
	for _, command := range []string{
		"HSET hash field value", "RPUSH list a b", "SADD set a b", "ZADD zset 1 a", "XADD stream * field value",
		"PFADD hyperloglog a", "SET expiring value EX 3600",
	} {
		must(t, s, strings.Fields(command)...)
	}
}

// writeOn increments a number, in a transaction and by a script in turn, until
// the server refuses, and returns what it was then.
func writeOn(t *testing.T, s *valkeytest.Server) (written func() int) {
	t.Helper()
	conn := s.Conn(t)
	increment := func(ctx context.Context, n int) error {
		if n%2 == 0 {
			return conn.Do(ctx, valkey.Cmd("EVAL", "redis.call('INCR', KEYS[1])", "1", "{n}"))[0].Err()
		}
		replies := conn.Do(ctx, valkey.Cmd("MULTI"), valkey.Cmd("INCR", "{n}"), valkey.Cmd("PEXPIRE", "{n}", "3600000"), valkey.Cmd("EXEC"))
		return replies[len(replies)-1].Err()
	}
	end := make(chan int)
	go func() {
		n := 0
		for increment(context.Background(), n) == nil {
			n++
		}
		end <- n
	}()
	return func() int { return <-end }
}

func loggedIn(t *testing.T, s *valkeytest.Server, user string, p Passwords) valkey.Conn {
	t.Helper()
	conn, err := valkey.TCP{DialLimit: patience, ReplyLimit: patience}.Dial(t.Context(), valkey.Target{
		Addr:        s.Addr(),
		Credentials: valkey.Credentials{Username: user, Password: valkey.NewPassword(p.of(user))},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}
