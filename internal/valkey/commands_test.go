package valkey

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

// script is a Conn that answers each command, by its words, with the next of
// its prepared replies; the last one is repeated.
type script struct {
	t       *testing.T
	answers map[string][]Reply
	sent    []string
}

func (s *script) Do(_ context.Context, cmds ...Command) []Reply {
	replies := make([]Reply, len(cmds))
	for i, cmd := range cmds {
		words := strings.Join(cmd.Args, " ")
		s.sent = append(s.sent, words)
		prepared := s.answers[words]
		if len(prepared) == 0 {
			s.t.Errorf("unexpected command %q", words)
			prepared = []Reply{NullReply()}
		}
		replies[i] = prepared[0]
		if len(prepared) > 1 {
			s.answers[words] = prepared[1:]
		}
	}
	return replies
}

func (s *script) Close() {}

var okReply = TextReply("OK")

func refusal(line string) Reply { return ErrReply(NewServerError(line)) }

// What every command sends, when the server does as it is told.
func TestCommandsSend(t *testing.T) {
	ctx := context.Background()
	some := rangesOf(slots.Range{First: 0, Last: 99}, slots.Range{First: 200, Last: 200})
	for _, test := range []struct {
		want string
		run  func(Conn) error
	}{
		{"CLUSTER MEET 10.0.0.1 6379 16379", func(c Conn) error { return Meet(ctx, c, netip.MustParseAddrPort("10.0.0.1:6379"), 16379) }},
		{"CLUSTER MEET 2001:db8::1 6379 7", func(c Conn) error { return Meet(ctx, c, netip.MustParseAddrPort("[2001:db8::1]:6379"), 7) }},
		{"CLUSTER FORGET " + string(idA), func(c Conn) error { return Forget(ctx, c, idA) }},
		{"CLUSTER REPLICATE " + string(idA), func(c Conn) error { return Replicate(ctx, c, idA) }},
		{"CLUSTER SET-CONFIG-EPOCH 7", func(c Conn) error { return SetConfigEpoch(ctx, c, 7) }},
		{"CLUSTER BUMPEPOCH", func(c Conn) error { return BumpEpoch(ctx, c) }},
		{"CLUSTER RESET SOFT", func(c Conn) error { return Reset(ctx, c, ResetSoft) }},
		{"CLUSTER RESET HARD", func(c Conn) error { return Reset(ctx, c, ResetHard) }},
		{"CLUSTER FAILOVER", func(c Conn) error { return Failover(ctx, c, FailoverSafe) }},
		{"CLUSTER FAILOVER FORCE", func(c Conn) error { return Failover(ctx, c, FailoverForce) }},
		{"CLUSTER FAILOVER TAKEOVER", func(c Conn) error { return Failover(ctx, c, FailoverTakeover) }},
		{"CLUSTER ADDSLOTSRANGE 0 99 200 200", func(c Conn) error { return AddSlots(ctx, c, some) }},
		{"ACL LOAD", func(c Conn) error { return ACLLoad(ctx, c) }},
		{"CONFIG SET a 1 b 2", func(c Conn) error { return ConfigSet(ctx, c, map[string]string{"b": "2", "a": "1"}) }},
		{"CLUSTER MIGRATESLOTS SLOTSRANGE 0 99 200 200 NODE " + string(idA) + " SLOTSRANGE 5 5 NODE " + string(idB), func(c Conn) error {
			return MigrateSlots(ctx, c, Move{some, idA}, Move{rangesOf(slots.Range{First: 5, Last: 5}), idB})
		}},
		{"CLUSTER CANCELSLOTMIGRATIONS", func(c Conn) error { return CancelMigrations(ctx, c) }},
	} {
		c := &script{t: t, answers: map[string][]Reply{test.want: {okReply}}}
		if err := test.run(c); err != nil {
			t.Errorf("%s: %v", test.want, err)
		}
		if diff := cmp.Diff([]string{test.want}, c.sent); diff != "" {
			t.Errorf("(-want +sent):\n%s", diff)
		}
	}
}

// What the server refuses is not hidden, except what was already so.
func TestCommandsRefused(t *testing.T) {
	ctx := context.Background()
	for _, test := range []struct {
		name    string
		refusal string
		run     func(Conn) error
		want    error
	}{
		{"forget unknown", "ERR Unknown node x", func(c Conn) error { return Forget(ctx, c, idA) }, nil},
		{"forget own primary", "ERR Can't forget my master!", func(c Conn) error { return Forget(ctx, c, idA) }, ErrOwnPrimary},
		{"replicate unknown", "ERR Unknown node x", func(c Conn) error { return Replicate(ctx, c, idA) }, ErrUnknownNode},
		{"failover of a primary", "ERR You should send CLUSTER FAILOVER to a replica", func(c Conn) error { return Failover(ctx, c, FailoverSafe) }, ErrNotReplica},
		{"reset with keys", "ERR CLUSTER RESET can't be called with master nodes containing keys", func(c Conn) error { return Reset(ctx, c, ResetSoft) }, ErrNotEmpty},
		{"cancel nothing", "ERR No migrations ongoing", func(c Conn) error { return CancelMigrations(ctx, c) }, nil},
		{"cancel without right", "NOPERM no", func(c Conn) error { return CancelMigrations(ctx, c) }, ErrNoPerm},
		{"epoch without right", "NOPERM no", func(c Conn) error { return SetConfigEpoch(ctx, c, 1) }, ErrNoPerm},
		{"add slots without right", "NOPERM no", func(c Conn) error { return AddSlots(ctx, c, slots.All()) }, ErrNoPerm},
		{"meet without right", "NOPERM no", func(c Conn) error { return Meet(ctx, c, netip.AddrPort{}, 0) }, ErrNoPerm},
	} {
		if err := test.run(answerAll(refusal(test.refusal))); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
	var config *ConfigError
	if err := ConfigSet(ctx, answerAll(refusal("ERR Unknown option or number of arguments for CONFIG SET - 'x'")), map[string]string{"x": ""}); !errors.As(err, &config) {
		t.Errorf("config: %v", err)
	}
}

// answerAll answers everything the same.
type answerAll Reply

func (a answerAll) Do(_ context.Context, cmds ...Command) []Reply {
	replies := make([]Reply, len(cmds))
	for i := range replies {
		replies[i] = Reply(a)
	}
	return replies
}

func (answerAll) Close() {}

// mute answers nothing at all, which no Conn may do.
type mute struct{ answerAll }

func (mute) Do(context.Context, ...Command) []Reply { return nil }

func TestRepliesAreCounted(t *testing.T) {
	if err := Meet(context.Background(), mute{}, netip.AddrPort{}, 0); !errors.Is(err, ErrProtocol) {
		t.Errorf("meet: %v", err)
	}
	if _, err := Observe(context.Background(), mute{}); !errors.Is(err, ErrProtocol) {
		t.Errorf("observe: %v", err)
	}
}

func TestNothingToDoSendsNothing(t *testing.T) {
	ctx, c := context.Background(), &script{t: t}
	if err := ConfigSet(ctx, c, nil); err != nil {
		t.Error(err)
	}
	if err := AddSlots(ctx, c, slots.Set{}); err != nil {
		t.Error(err)
	}
	if len(c.sent) > 0 {
		t.Errorf("sent %q", c.sent)
	}
}

func nodesReply(mine, theirs string) Reply {
	return TextReply(string(idA) + " 10.0.0.1:6379@16379 myself,master - 0 0 1 connected " + mine + "\n" +
		string(idB) + " 10.0.0.2:6379@16379 master - 0 0 1 connected " + theirs + "\n")
}

func TestAddSlotsThatAreOwned(t *testing.T) {
	busy := refusal("ERR Slot 0 is already busy")
	wanted := rangesOf(slots.Range{First: 0, Last: 9})
	for _, test := range []struct {
		name         string
		mine, theirs string
		second       string // command after the first was refused
		answer       Reply
		want         error
	}{
		{"all mine", "0-20", "", "", Reply{}, nil},
		{"some mine", "0-4", "", "CLUSTER ADDSLOTSRANGE 5 9", okReply, nil},
		{"some mine, some theirs", "0-4", "5", "CLUSTER ADDSLOTSRANGE 5 9", busy, ErrBusySlot},
		{"all theirs", "", "0-20", "", Reply{}, ErrBusySlot},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := &script{t: t, answers: map[string][]Reply{
				"CLUSTER ADDSLOTSRANGE 0 9": {busy},
				"CLUSTER NODES":             {nodesReply(test.mine, test.theirs)},
				test.second:                 {test.answer},
			}}
			if err := AddSlots(context.Background(), c, wanted); !errors.Is(err, test.want) {
				t.Errorf("%v, want %v", err, test.want)
			}
			if test.second != "" && c.sent[len(c.sent)-1] != test.second {
				t.Errorf("sent %q", c.sent)
			}
		})
	}
	broken := &script{t: t, answers: map[string][]Reply{"CLUSTER ADDSLOTSRANGE 0 9": {busy}, "CLUSTER NODES": {refusal("NOPERM no")}}}
	if err := AddSlots(context.Background(), broken, wanted); !errors.Is(err, ErrNoPerm) {
		t.Errorf("view refused: %v", err)
	}
}

func TestDelSlots(t *testing.T) {
	for _, test := range []struct{ name, mine, theirs, want string }{
		{"owned by anybody", "0-4", "5-9", "CLUSTER DELSLOTSRANGE 0 9"},
		{"some owned", "0-4", "100", "CLUSTER DELSLOTSRANGE 0 4"},
		{"none owned", "", "100", "CLUSTER NODES"},
	} {
		c := &script{t: t, answers: map[string][]Reply{"CLUSTER NODES": {nodesReply(test.mine, test.theirs)}, test.want: {okReply}}}
		c.answers["CLUSTER NODES"] = []Reply{nodesReply(test.mine, test.theirs)}
		if err := DelSlots(context.Background(), c, rangesOf(slots.Range{First: 0, Last: 9})); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if got := c.sent[len(c.sent)-1]; got != test.want {
			t.Errorf("%s: last sent %q, want %q", test.name, got, test.want)
		}
	}
}

func TestSetConfigEpochThatIsSet(t *testing.T) {
	info := func(epoch string) Reply { return TextReply("cluster_state:fail\r\ncluster_my_epoch:" + epoch + "\r\n") }
	for _, test := range []struct {
		name    string
		refusal string
		info    Reply
		want    error
	}{
		{"this one already", "ERR Node config epoch is already non-zero", info("7"), nil},
		{"another one", "ERR Node config epoch is already non-zero", info("6"), ErrEpochSet},
		{"this one, others known", "ERR The user can assign a config epoch only when the node does not know any other node.", info("7"), nil},
		{"none, others known", "ERR The user can assign a config epoch only when the node does not know any other node.", info("0"), ErrNotAlone},
		{"unknown", "ERR Node config epoch is already non-zero", refusal("NOPERM no"), ErrNoPerm},
	} {
		c := &script{t: t, answers: map[string][]Reply{"CLUSTER SET-CONFIG-EPOCH 7": {refusal(test.refusal)}, "CLUSTER INFO": {test.info}}}
		if err := SetConfigEpoch(context.Background(), c, 7); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}

func TestMyID(t *testing.T) {
	ctx := context.Background()
	if id, err := MyID(ctx, answerAll(TextReply(string(idA)))); id != idA || err != nil {
		t.Errorf("%q, %v", id, err)
	}
	for _, r := range []Reply{TextReply("nobody"), IntReply(1), NullReply()} {
		if id, err := MyID(ctx, answerAll(r)); !errors.Is(err, ErrProtocol) || id != "" {
			t.Errorf("%q, %v", id, err)
		}
	}
	if _, err := MyID(ctx, answerAll(refusal("ERR This instance has cluster support disabled"))); !errors.Is(err, ErrClusterDisabled) {
		t.Errorf("%v", err)
	}
}

func TestConfigGetAndACLList(t *testing.T) {
	ctx := context.Background()
	c := &script{t: t, answers: map[string][]Reply{
		"CONFIG GET save maxmemory*": {ListReply(TextReply("save"), TextReply(""), TextReply("maxmemory"), TextReply("0"))},
		"ACL LIST":                   {ListReply(TextReply("user default off"), TextReply("user op on"))},
	}}
	values, err := ConfigGet(ctx, c, "save", "maxmemory*")
	if diff := cmp.Diff(map[string]string{"save": "", "maxmemory": "0"}, values); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	users, err := ACLList(ctx, c)
	if diff := cmp.Diff([]string{"user default off", "user op on"}, users); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}
