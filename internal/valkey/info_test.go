package valkey

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseClusterInfo(t *testing.T) {
	eachVersion(t, "cluster-info-formed.txt", func(t *testing.T, text string) {
		got, err := ParseClusterInfo(text)
		want := ClusterInfo{OK: true, SlotsAssigned: 16384, SlotsOK: 16384, KnownNodes: 6, Size: 3, CurrentEpoch: got.CurrentEpoch, MyEpoch: 1}
		if got.CurrentEpoch < 3 { // three were assigned; an election may have come to nothing
			t.Errorf("current epoch %d", got.CurrentEpoch)
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
	eachVersion(t, "cluster-info-alone.txt", func(t *testing.T, text string) {
		got, err := ParseClusterInfo(text)
		if diff := cmp.Diff(ClusterInfo{KnownNodes: 1}, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
	got, err := ParseClusterInfo("cluster_state:fail\r\ncluster_slots_assigned:10\r\ncluster_slots_ok:4\r\ncluster_slots_pfail:5\r\ncluster_slots_fail:1\r\n")
	if want := (ClusterInfo{SlotsAssigned: 10, SlotsOK: 4, SlotsPFail: 5, SlotsFail: 1}); got != want || err != nil {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	for _, text := range []string{"", "cluster_slots_ok:3\r\n", "cluster_state:ok\r\ncluster_size:many\r\n", "cluster_state:ok\r\ncluster_my_epoch:-1\r\n"} {
		if _, err := ParseClusterInfo(text); !errors.Is(err, ErrProtocol) {
			t.Errorf("%q: %v, want an ErrProtocol", text, err)
		}
	}
}

func TestServerInfo(t *testing.T) {
	eachVersion(t, "info-primary.txt", func(t *testing.T, text string) {
		got, err := ParseInfo(text).Server()
		if err != nil {
			t.Fatal(err)
		}
		dir := strings.Split(t.Name(), "/")
		if minor := got.Version.String(); !strings.HasPrefix(minor, dir[len(dir)-1]+".") {
			t.Errorf("version %s", minor)
		}
		if len(got.RunID) != 40 || got.Uptime <= 0 || got.Uptime > time.Hour {
			t.Errorf("run ID %q, uptime %v", got.RunID, got.Uptime)
		}
	})
	old, err := ParseInfo("redis_version:7.0.15\r\n").Server()
	if err != nil || old.Version != (Version{7, 0, 15}) {
		t.Errorf("before Valkey: %v, %v", old, err)
	}
	for _, text := range []string{"", "valkey_version:9\r\n", "valkey_version:9.1.2\r\nuptime_in_seconds:x\r\n"} {
		if _, err := ParseInfo(text).Server(); !errors.Is(err, ErrProtocol) {
			t.Errorf("%q: %v, want an ErrProtocol", text, err)
		}
	}
}

func TestVersion(t *testing.T) {
	for text, want := range map[string]Version{"9.1.2": {9, 1, 2}, "8.0.10": {8, 0, 10}, "9.0.0-rc1": {9, 0, 0}} {
		got, err := ParseVersion(text)
		if err != nil || got != want {
			t.Errorf("ParseVersion(%q) = %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "9", "9.1", "9.1.x", "9.1.2.3", "-9.1.2", "9.1.-2", "255.255.255-"} {
		if got, err := ParseVersion(text); (err == nil) != (text == "255.255.255-") {
			t.Errorf("ParseVersion(%q) = %v, %v", text, got, err)
		}
	}
	v := Version{8, 1, 1}
	for _, test := range []struct {
		major, minor int
		want         bool
	}{{8, 0, true}, {8, 1, true}, {7, 9, true}, {8, 2, false}, {9, 0, false}} {
		if v.AtLeast(test.major, test.minor) != test.want {
			t.Errorf("8.1.1 at least %d.%d: %v", test.major, test.minor, !test.want)
		}
	}
}

func TestReplicationOfPrimary(t *testing.T) {
	eachVersion(t, "info-primary.txt", func(t *testing.T, text string) {
		got, err := ParseInfo(text).Replication()
		if err != nil {
			t.Fatal(err)
		}
		if got.Role != Primary || got.Source != (SourceLink{}) || got.Offset <= 0 || len(got.ReplID) != 40 || got.SecondOffset != -1 {
			t.Errorf("%+v", got)
		}
		if len(got.Replicas) != 1 {
			t.Fatalf("%d replicas", len(got.Replicas))
		}
		r := got.Replicas[0]
		if !r.Addr.IsValid() || r.State != Online || r.Lag > time.Minute {
			t.Errorf("replica %+v", r)
		}
	})
}

func TestReplicationOfReplica(t *testing.T) {
	for name, want := range map[string]struct{ up, hasData, neverUp bool }{
		"info-replica.txt":       {up: true, hasData: true},
		"info-replica-down.txt":  {hasData: true},
		"info-replica-early.txt": {neverUp: true},
		// In sync with a primary that has never written anything.
		"info-replica-synced-empty.txt": {up: true},
	} {
		eachVersion(t, name, func(t *testing.T, text string) {
			got, err := ParseInfo(text).Replication()
			if err != nil {
				t.Fatal(err)
			}
			if got.Role != Replica || !got.Source.Addr.IsValid() || got.Source.Up != want.up || len(got.Replicas) != 0 {
				t.Errorf("%s: %+v", name, got)
			}
			if hasData := got.Offset > 0; hasData != want.hasData {
				t.Errorf("%s: own offset %d", name, got.Offset)
			}
			if want.hasData && got.Source.Offset != got.Offset {
				t.Errorf("%s: offset %d, of the source %d", name, got.Offset, got.Source.Offset)
			}
			if neverUp := got.Source.Down < 0; neverUp != want.neverUp {
				t.Errorf("%s: down for %v", name, got.Source.Down)
			}
		})
	}
}

func TestReplicationDetails(t *testing.T) {
	got, err := ParseInfo(strings.Join([]string{
		"role:master", "master_repl_offset:100", "master_replid:aa", "master_replid2:bb", "second_repl_offset:50",
		"slave0:ip=10.0.0.1,port=6379,state=online,offset=90,lag=1,type=replica",
		"slave1:ip=2001:db8::1,port=6380,state=wait_bgsave,offset=0,lag=0,type=replica",
		"slave2:ip=,port=6380,state=send_bulk,offset=0,lag=0",
		"slave4:ip=10.0.0.9,port=6379,state=online,offset=1,lag=1,type=replica",
		"slave_priority:100",
	}, "\r\n")).Replication()
	want := Replication{
		Role: Primary, Offset: 100, ReplID: "aa", ReplID2: "bb", SecondOffset: 50,
		Replicas: []ReplicaLink{
			{Addr: netip.MustParseAddrPort("10.0.0.1:6379"), State: Online, Offset: 90, Lag: time.Second},
			{Addr: netip.MustParseAddrPort("[2001:db8::1]:6380"), State: "wait_bgsave"},
			{Addr: netip.AddrPortFrom(netip.Addr{}, 6380), State: "send_bulk"},
		},
	}
	if diff := cmp.Diff(want, got, compareNodes); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}

	got, err = ParseInfo("role:slave\r\nmaster_host:10.0.0.1\r\nmaster_port:6379\r\nmaster_link_status:down\r\n" +
		"master_sync_in_progress:1\r\nslave_repl_offset:1\r\nmaster_last_io_seconds_ago:-1\r\nmaster_link_down_since_seconds:7\r\n").Replication()
	want = Replication{Role: Replica, Source: SourceLink{
		Addr: netip.MustParseAddrPort("10.0.0.1:6379"), Syncing: true, Offset: 1, LastIO: -time.Second, Down: 7 * time.Second,
	}}
	if diff := cmp.Diff(want, got, compareNodes); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}

	for _, text := range []string{"", "role:sentinel", "role:master\r\nmaster_repl_offset:x", "role:slave\r\nmaster_port:x", "role:master\r\nslave0:port=x",
		"role:slave\r\nmaster_port:70000", "role:master\r\nslave0:port=70000"} {
		if _, err := ParseInfo(text).Replication(); !errors.Is(err, ErrProtocol) {
			t.Errorf("%q: %v, want an ErrProtocol", text, err)
		}
	}
}

func TestPersistence(t *testing.T) {
	eachVersion(t, "info-primary.txt", func(t *testing.T, text string) {
		got, err := ParseInfo(text).Persistence()
		if err != nil {
			t.Fatal(err)
		}
		if got.Loading || got.Saving || !got.LastSaveOK || got.AOFEnabled || got.DiskFullOrFailing || got.LastSave.Year() < 2020 {
			t.Errorf("%+v", got)
		}
	})
	for text, want := range map[string]Persistence{
		"loading:1":                                  {Loading: true},
		"async_loading:1":                            {Loading: true},
		"rdb_bgsave_in_progress:1":                   {Saving: true},
		"rdb_changes_since_last_save:7":              {ChangesSinceSave: 7},
		"rdb_last_bgsave_status:err":                 {LastSaveOK: true, DiskFullOrFailing: true},
		"aof_last_write_status:err":                  {AOFLastWriteOK: true, DiskFullOrFailing: true},
		"aof_last_bgrewrite_status:err":              {AOFLastRewriteOK: true, DiskFullOrFailing: true},
		"aof_enabled:1\r\naof_rewrite_in_progress:1": {AOFEnabled: true, AOFRewriting: true},
	} {
		want.LastSave = time.Unix(0, 0)
		// The statuses are good unless said otherwise: toggle those of want.
		want.LastSaveOK, want.AOFLastWriteOK, want.AOFLastRewriteOK = !want.LastSaveOK, !want.AOFLastWriteOK, !want.AOFLastRewriteOK
		got, err := ParseInfo(text).Persistence()
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v (-want +got):\n%s", text, err, diff)
		}
	}
}

func TestMemoryAndKeys(t *testing.T) {
	eachVersion(t, "info-primary.txt", func(t *testing.T, text string) {
		memory, err := ParseInfo(text).Memory()
		if err != nil || memory.Used < 1<<20 || memory.RSS < memory.Used || memory.Max != 0 {
			t.Errorf("%+v, %v", memory, err)
		}
		if keys, err := ParseInfo(text).Keys(); keys != 2 || err != nil {
			t.Errorf("%d keys, %v", keys, err)
		}
	})
	for text, want := range map[string]int64{"": 0, "db0:keys=5,expires=1,avg_ttl=0\r\ndb12:keys=7,expires=0\r\ndbx:keys=9\r\ndb_size:3": 12} {
		if keys, err := ParseInfo(text).Keys(); keys != want || err != nil {
			t.Errorf("%q: %d keys, %v", text, keys, err)
		}
	}
	if _, err := ParseInfo("db0:keys=x").Keys(); !errors.Is(err, ErrProtocol) {
		t.Errorf("keys=x: %v", err)
	}
}

func FuzzInfo(f *testing.F) {
	recorded(f, "*/info-*.txt", func(_, text string) { f.Add(text) })
	recorded(f, "*/cluster-info-*.txt", func(_, text string) { f.Add(text) })
	f.Fuzz(func(t *testing.T, text string) {
		info := ParseInfo(text)
		if r, err := info.Replication(); err == nil && r.Role != Primary && r.Role != Replica {
			t.Fatalf("role %q", r.Role)
		}
		if s, err := info.Server(); err == nil && s.Version.Major < 0 {
			t.Fatalf("version %v", s.Version)
		}
		_, _ = info.Persistence()
		_, _ = info.Memory()
		_, _ = info.Keys()
		_, _ = ParseClusterInfo(text)
	})
}
