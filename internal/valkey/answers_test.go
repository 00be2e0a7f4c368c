package valkey

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

func mustDecode(t testing.TB, text string) Reply {
	t.Helper()
	r, err := decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestParseRole(t *testing.T) {
	eachVersion(t, "role-primary.resp", func(t *testing.T, text string) {
		got, err := ParseRole(mustDecode(t, text))
		if err != nil || got.Role != Primary || got.Offset <= 0 || len(got.Replicas) != 1 || !got.Replicas[0].Addr.IsValid() {
			t.Errorf("%+v, %v", got, err)
		}
	})
	eachVersion(t, "role-replica.resp", func(t *testing.T, text string) {
		got, err := ParseRole(mustDecode(t, text))
		if err != nil || got.Role != Replica || got.Offset <= 0 || got.Link != "connected" || !got.Source.IsValid() {
			t.Errorf("%+v, %v", got, err)
		}
	})
	got, err := ParseRole(ListReply(TextReply("slave"), TextReply("10.0.0.1"), IntReply(6379), TextReply("handshake"), IntReply(-1)))
	want := RoleState{Role: Replica, Offset: -1, Source: netip.MustParseAddrPort("10.0.0.1:6379"), Link: "handshake"}
	if diff := cmp.Diff(want, got, compareNodes); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for name, r := range map[string]Reply{
		"empty":             ListReply(),
		"sentinel":          ListReply(TextReply("sentinel"), ListReply()),
		"short primary":     ListReply(TextReply("master"), IntReply(1)),
		"short replica":     ListReply(TextReply("slave"), TextReply("10.0.0.1")),
		"port out of range": ListReply(TextReply("slave"), TextReply("10.0.0.1"), IntReply(70000), TextReply("connected"), IntReply(1)),
		"short row":         ListReply(TextReply("master"), IntReply(1), ListReply(ListReply())),
		"text":              TextReply("master"),
	} {
		if got, err := ParseRole(r); !errors.Is(err, ErrProtocol) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if _, err := ParseRole(ErrReply(NewServerError("NOPERM x"))); !errors.Is(err, ErrNoPerm) {
		t.Errorf("refused: %v", err)
	}
}

func TestParseConfig(t *testing.T) {
	eachVersion(t, "config.resp", func(t *testing.T, text string) {
		got, err := ParseConfig(mustDecode(t, text))
		if err != nil || got["cluster-node-timeout"] != "2000" || got["maxmemory"] != "0" {
			t.Errorf("%v, %v", got, err)
		}
		if save, ok := got["save"]; save != "" || !ok {
			t.Errorf("save %q, %v", save, ok)
		}
	})
	if _, err := ParseConfig(ListReply(TextReply("save"))); !errors.Is(err, ErrProtocol) {
		t.Errorf("half a pair: %v", err)
	}
}

func TestParseMigrations(t *testing.T) {
	moved := rangesOf(slots.Range{First: 0, Last: 99}, slots.Range{First: 200, Last: 299})
	for name, want := range map[string]struct {
		operation MigrationOperation
		ends      bool
	}{
		"migrations-source.resp":         {Export, true},
		"migrations-target.resp":         {Import, true},
		"migrations-target-replica.resp": {Import, false},
	} {
		eachVersion(t, name, func(t *testing.T, text string) {
			jobs, err := ParseMigrations(mustDecode(t, text))
			if err != nil || len(jobs) != 1 {
				t.Fatalf("%v, %v", jobs, err)
			}
			job := jobs[0]
			if job.Operation != want.operation || !job.Slots.Equal(moved) || !job.Ended() || !job.Succeeded() {
				t.Errorf("%+v", job)
			}
			if job.Source.Valid() != want.ends || job.Target.Valid() != want.ends || job.Created.Year() < 2020 {
				t.Errorf("%+v", job)
			}
		})
	}
	for state, ended := range map[string]bool{"connecting": false, "snapshotting": false, "new-in-10": false, "failed": true, "cancelled": true, "success": true} {
		job := Migration{State: state}
		if job.Ended() != ended || job.Succeeded() != (state == "success") {
			t.Errorf("state %q: ended %v, succeeded %v", state, job.Ended(), job.Succeeded())
		}
	}
	failed, err := ParseMigrations(ListReply(ListReply(
		TextReply("state"), TextReply("failed"), TextReply("message"), TextReply("Connection lost to target"),
		TextReply("slot_ranges"), TextReply("5"), TextReply("create_time"), IntReply(1700000000),
		TextReply("remaining_repl_size"), IntReply(12), TextReply("new"), ListReply())))
	want := []Migration{{
		State: "failed", Message: "Connection lost to target", Slots: rangesOf(slots.Range{First: 5, Last: 5}),
		Created: time.Unix(1700000000, 0), Updated: time.Unix(0, 0), Remaining: 12,
	}}
	if diff := cmp.Diff(want, failed); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for name, r := range map[string]Reply{
		"not a list": TextReply("x"),
		"not a map":  ListReply(IntReply(1)),
		"slots":      ListReply(ListReply(TextReply("slot_ranges"), TextReply("all"))),
		"time":       ListReply(ListReply(TextReply("create_time"), TextReply("now"))),
	} {
		if jobs, err := ParseMigrations(r); !errors.Is(err, ErrProtocol) {
			t.Errorf("%s: %v, %v", name, jobs, err)
		}
	}
}

// Whatever a server answers, no parser of replies panics, and each returns
// either a result or an error.
func FuzzAnswers(f *testing.F) {
	recorded(f, "*/*.resp", func(_, text string) { f.Add(text) })
	f.Fuzz(func(t *testing.T, text string) {
		r, err := decode(text)
		if err != nil {
			return
		}
		if role, err := ParseRole(r); err == nil && role.Role == "" {
			t.Fatalf("no role, no error: %q", text)
		}
		if jobs, err := ParseMigrations(r); err == nil {
			for _, job := range jobs {
				if again, err := slots.Parse(job.Slots.String()); err != nil || !again.Equal(job.Slots) {
					t.Fatalf("slots %q", job.Slots)
				}
			}
		}
		if values, err := ParseConfig(r); err == nil && r.Err() != nil {
			t.Fatalf("%v from an error", values)
		}
	})
}

func TestParseObservation(t *testing.T) {
	texts := map[string]string{}
	recorded(t, "9.1/*.txt", func(file, text string) {
		texts[strings.TrimSuffix(strings.TrimPrefix(file, "testdata/9.1/"), ".txt")] = text
	})
	nodes, cluster, info := TextReply(texts["nodes-formed"]), TextReply(texts["cluster-info-formed"]), TextReply(texts["info-primary"])
	config := ListReply(TextReply(nodeTimeout), TextReply("2000"))

	got, err := ParseObservation(nodes, cluster, info, config)
	if err != nil {
		t.Fatal(err)
	}
	if got.ID() != got.Self().ID || got.Self().Role() != Primary || len(got.Nodes) != 6 || !got.Cluster.OK ||
		got.NodeTimeout != 2*time.Second || got.Keys != 2 || !got.Server.Version.AtLeast(9, 1) || got.Replication.Role != Primary || got.Memory.Used == 0 {
		t.Errorf("%+v", got)
	}

	refused := ErrReply(NewServerError("NOPERM no"))
	for name, replies := range map[string][4]Reply{
		"nodes refused":       {refused, cluster, info, config},
		"cluster refused":     {nodes, refused, info, config},
		"info refused":        {nodes, cluster, refused, config},
		"config refused":      {nodes, cluster, info, refused},
		"nodes without self":  {TextReply(""), cluster, info, config},
		"nodes unreadable":    {TextReply("x"), cluster, info, config},
		"cluster unreadable":  {nodes, TextReply("x"), info, config},
		"info without role":   {nodes, cluster, TextReply("valkey_version:9.1.2\r\n"), config},
		"info without server": {nodes, cluster, TextReply("role:master\r\n"), config},
		"config unreadable":   {nodes, cluster, info, ListReply(TextReply(nodeTimeout), TextReply("x"))},
		"config without it":   {nodes, cluster, info, ListReply()},
	} {
		got, err := ParseObservation(replies[0], replies[1], replies[2], replies[3])
		if want := map[bool]error{true: ErrNoPerm, false: ErrProtocol}[strings.HasSuffix(name, "refused")]; !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
		if diff := cmp.Diff(Observation{}, got, compareNodes); diff != "" {
			t.Errorf("%s: an error and an observation:\n%s", name, diff)
		}
	}
}
