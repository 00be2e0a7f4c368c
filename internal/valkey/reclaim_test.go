package valkey

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

func TestReclaim(t *testing.T) {
	line := func(flags, primary, owned string) Reply {
		return TextReply(strings.TrimSpace(string(idA)+" 10.0.0.1:6379@16379 myself,"+flags+" "+primary+" 0 0 4 connected "+owned) + "\n")
	}
	replica, primary, partly := line("slave", string(idB), ""), line("master", "-", "7-8"), line("master", "-", "7")
	busy := refusal("ERR Slot 7 is already busy")
	for name, c := range map[string]struct {
		nodes  []Reply // before, and after
		keys   int64   // in all; one is in slot 7
		result Reply   // of EXEC
		want   error
		sent   bool // the transaction
	}{
		"done":                       {[]Reply{replica, primary}, 1, ListReply(okReply, okReply, okReply), nil, true},
		"with the slots of its keys": {[]Reply{replica, primary}, 1, ListReply(okReply, busy, okReply), nil, true},
		"done before":                {[]Reply{primary}, 1, Reply{}, nil, false},
		"another primary":            {[]Reply{partly}, 1, Reply{}, ErrNotReplica, false},
		"keys of other slots":        {[]Reply{replica}, 2, Reply{}, ErrOtherKeys, false},
		"refused":                    {[]Reply{replica}, 1, ListReply(refusal("ERR You should send CLUSTER FAILOVER to a replica"), okReply, okReply), ErrNotReplica, true},
		"a slot is taken":            {[]Reply{replica, partly}, 1, ListReply(okReply, okReply, busy), ErrBusySlot, true},
	} {
		t.Run(name, func(t *testing.T) {
			conn := &script{t: t, answers: map[string][]Reply{
				"CLUSTER NODES": c.nodes, "DBSIZE": {IntReply(c.keys)},
				"CLUSTER COUNTKEYSINSLOT 7": {IntReply(1)}, "CLUSTER COUNTKEYSINSLOT 8": {IntReply(0)},
				"MULTI": {okReply}, "CLUSTER FAILOVER TAKEOVER": {TextReply("QUEUED")}, "EXEC": {c.result},
				"CLUSTER ADDSLOTSRANGE 7 7": {TextReply("QUEUED")}, "CLUSTER ADDSLOTSRANGE 8 8": {TextReply("QUEUED")},
			}}
			if err := Reclaim(t.Context(), conn, rangesOf(slots.Range{First: 7, Last: 8})); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
			if sent := slices.Contains(conn.sent, "EXEC"); sent != c.sent {
				t.Errorf("sent: %t\n%s", sent, strings.Join(conn.sent, "\n"))
			}
		})
	}
}
