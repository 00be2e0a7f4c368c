package probe

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/slots"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/valkeytest"
)

// form makes a cluster of one primary and one replica.
func form(t *testing.T) []*valkeytest.Server {
	t.Helper()
	servers := valkeytest.Start(t, valkeytest.Find(t, "9.1"), 2, valkeytest.Options{})
	primary, replica := servers[0].Conn(t), servers[1].Conn(t)
	if err := valkey.AddSlots(t.Context(), primary, slots.All()); err != nil {
		t.Fatal(err)
	}
	if err := valkey.Meet(t.Context(), replica, servers[0].Addr(), servers[0].BusPort()); err != nil {
		t.Fatal(err)
	}
	id, err := valkey.MyID(t.Context(), primary)
	if err != nil {
		t.Fatal(err)
	}
	for begin := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		r, err := valkey.ReplicationOf(t.Context(), replica)
		if err == nil && r.Source.Up {
			return servers
		}
		if err := valkey.Replicate(t.Context(), replica, id); err != nil && time.Since(begin) > time.Minute {
			t.Fatal(err)
		}
	}
}

// start writes to a cluster of real servers.
func start(t *testing.T, wait int) (*Probe, []*valkeytest.Server) {
	t.Helper()
	servers := form(t)
	p, err := Start(t.Context(), options(servers, wait))
	if err != nil {
		t.Fatal(err)
	}
	return p, servers
}

func options(servers []*valkeytest.Server, wait int) Options {
	return Options{
		Dialer: valkey.TCP{},
		Seeds: func() []netip.AddrPort {
			var seeds []netip.AddrPort
			for _, s := range servers {
				seeds = append(seeds, s.Addr())
			}
			return seeds
		},
		Prefix: "probe:", Keys: 32, Every: 10 * time.Millisecond, Wait: wait, Patience: 5 * time.Second,
	}
}

func lost(t *testing.T, p *Probe) []Loss {
	t.Helper()
	lost, err := p.Lost(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return lost
}

func TestQuietClusterLosesNothing(t *testing.T) {
	p, _ := start(t, 1)
	time.Sleep(time.Second)
	r := p.Stop()
	if r.Failed > 0 || r.Acknowledged == 0 {
		t.Errorf("%v: %v", r, r.LastError)
	}
	if l := lost(t, p); len(l) > 0 {
		t.Errorf("lost: %v", l)
	}
}

// A loss that somebody plants is found.
func TestPlantedLossIsFound(t *testing.T) {
	p, servers := start(t, 0)
	time.Sleep(200 * time.Millisecond)
	for _, s := range servers {
		c := s.Conn(t)
		c.Do(t.Context(), valkey.Cmd("LPOP", "probe:7"))
	}
	p.Stop()
	l := lost(t, p)
	if len(l) != 1 || l[0].Key != "probe:7" || len(l[0].Writes) != 1 {
		t.Errorf("lost %v, want the one write to probe:7", l)
	}
}

// A primary that stands still is a gap.
func TestGapIsFound(t *testing.T) {
	p, servers := start(t, 0)
	paused := time.Now()
	for _, s := range servers {
		s.Pause()
	}
	time.Sleep(300 * time.Millisecond)
	for _, s := range servers {
		s.Resume()
	}
	time.Sleep(200 * time.Millisecond)
	r := p.Stop()
	if r.LongestGap < 300*time.Millisecond {
		t.Errorf("%v, want a gap of 300 ms", r)
	}
	if early := paused.Add(300 * time.Millisecond); r.GapEnd.Before(early) {
		t.Errorf("the gap was over at %v, and may not have been before %v", r.GapEnd, early)
	}
}

// A writer follows a hand-over without a failed write, also when two servers
// send it to each other.
func TestRedirectionsAreFollowed(t *testing.T) {
	p, servers := start(t, 0)
	if err := valkey.Failover(t.Context(), servers[1].Conn(t), valkey.FailoverSafe); err != nil {
		t.Fatal(err)
	}
	before := p.Report().Acknowledged
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(20 * time.Millisecond) {
		role, err := valkey.ReplicationOf(t.Context(), servers[0].Conn(t))
		if err == nil && role.Role == valkey.Replica && p.Report().Acknowledged > before+10*p.options.Keys {
			break
		}
	}
	if r := p.Stop(); r.Failed > 0 || r.Acknowledged <= before+10*p.options.Keys {
		t.Errorf("%v, %d of them before the hand-over: %v", r, before, r.LastError)
	}
	if l := lost(t, p); len(l) > 0 {
		t.Errorf("lost: %v", l)
	}
}

func TestMovedTo(t *testing.T) {
	for line, want := range map[string]string{
		"MOVED 7 10.0.0.1:6379":      "10.0.0.1:6379",
		"MOVED 7 [2001:db8::1]:6379": "[2001:db8::1]:6379",
		"MOVED 7 :0":                 "",
		"ASK 7 10.0.0.1:6379":        "",
		"ERR no":                     "",
	} {
		owner, moved := movedTo(valkey.NewServerError(line))
		if moved != (want != "") || moved && owner.String() != want {
			t.Errorf("%s: %v, %t", line, owner, moved)
		}
	}
}

// A load writes values of the promised size, whatever happens to connections.
func TestLoad(t *testing.T) {
	servers := form(t)
	l := StartLoad(t.Context(), options(servers, 0))
	before := written(t, l, 1000)
	for _, s := range servers {
		s.Conn(t).Do(t.Context(), valkey.Cmd("CLIENT", "KILL", "TYPE", "normal"))
	}
	written(t, l, before.Writes+1000)
	r := l.Stop()
	if mean := r.Bytes / int64(r.Writes); mean < 5<<10 || mean > 6<<10 {
		t.Errorf("the mean value has %d bytes, want 5.5 KiB", mean)
	}
	if r.Errors == 0 {
		t.Error("connections were killed, and no error was noted")
	}
}

// written waits until a load has written that often.
func written(t *testing.T, l *Load, writes int) LoadReport {
	t.Helper()
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(10 * time.Millisecond) {
		if r := l.Report(); r.Writes >= writes {
			return r
		}
	}
	t.Fatalf("%v, want %d values written", l.Report(), writes)
	return LoadReport{}
}
