package valkey_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/valkeytest"
)

func TestRealHang(t *testing.T) {
	valkeytest.Each(t, func(t *testing.T, bin valkeytest.Binary) {
		s := valkeytest.Start(t, bin, 1, valkeytest.Options{})[0]
		quick := valkey.TCP{DialLimit: 500 * time.Millisecond, ReplyLimit: 300 * time.Millisecond}
		conn, err := quick.Dial(t.Context(), s.Target())
		must(t, err)
		held, err := quick.Hold(t.Context(), s.Target())
		must(t, err)

		s.Pause()
		want(t, conn.Do(t.Context(), valkey.Cmd("PING"))[0].Err(), valkey.ErrTimeout)
		verdict, err := quick.Probe(t.Context(), s.Target())
		if verdict != valkey.Hung {
			t.Errorf("a stopped process is %s, %v", verdict, err)
		}
		if err := held.Wait(t.Context(), 100*time.Millisecond); err != nil {
			t.Errorf("a hang is not a loss: %v", err)
		}

		s.Resume()
		eventually(t, func() error {
			_, err := quick.Probe(t.Context(), s.Target())
			return err
		})
		must(t, held.Do(t.Context(), valkey.Cmd("PING"))[0].Err())
		s.Stop()
		want(t, held.Wait(t.Context(), patience), valkey.ErrClosed)
	})
}

// After a restart the pool's old connection must not cost a failed command.
func TestRealPoolOverRestart(t *testing.T) {
	valkeytest.Each(t, func(t *testing.T, bin valkeytest.Binary) {
		s := valkeytest.Start(t, bin, 1, valkeytest.Options{})[0]
		pool := valkey.NewPool(valkey.TCP{}, time.Hour)
		t.Cleanup(pool.Close)
		var runs []string
		for range 3 {
			conn, err := pool.Dial(t.Context(), s.Target())
			must(t, err)
			o, err := valkey.Observe(t.Context(), conn)
			must(t, err)
			conn.Close()
			runs = append(runs, o.Server.RunID)
			s.Restart()
		}
		if runs[0] == runs[1] || runs[1] == runs[2] {
			t.Errorf("run IDs %q", runs)
		}
	})
}

const aclFile = `user default off
user op on >secret +@all ~* &*
user reader on >secret +cluster|info
`

func credentials(user, password string) valkey.Credentials {
	return valkey.Credentials{Username: user, Password: valkey.NewPassword(password)}
}

func TestRealLogin(t *testing.T) {
	valkeytest.Each(t, func(t *testing.T, bin valkeytest.Binary) {
		s := valkeytest.Start(t, bin, 1, valkeytest.Options{
			Settings: []string{"aclfile users.acl"}, Files: map[string]string{"users.acl": aclFile}, Credentials: credentials("op", "secret"),
		})[0]
		conn := s.Conn(t)
		as := func(who valkey.Credentials) (valkey.Conn, error) {
			target := s.Target()
			target.Credentials = who
			c, err := valkey.TCP{}.Dial(t.Context(), target)
			if err == nil {
				t.Cleanup(c.Close)
			}
			return c, err
		}
		for _, who := range []valkey.Credentials{{}, credentials("op", "wrong"), credentials("nobody", "secret"), credentials("", "secret"), credentials("op", "")} {
			_, err := as(who)
			want(t, err, valkey.ErrAuth)
		}
		reader, err := as(credentials("reader", "secret")) // may not even set a name
		must(t, err)
		must(t, reader.Do(t.Context(), valkey.Cmd("CLUSTER", "INFO"))[0].Err())
		_, err = valkey.Observe(t.Context(), reader)
		want(t, err, valkey.ErrNoPerm)

		// A probe needs no login to see that the server lives.
		if verdict, err := (valkey.TCP{}).Probe(t.Context(), s.Target()); verdict != valkey.Answered {
			t.Errorf("%s, %v", verdict, err)
		}

		s.WriteFile("users.acl", "user op on >secret +@all ~* &*\nuser reader on >other +nonsense\n")
		var refused *valkey.ServerError
		if err := valkey.ACLLoad(t.Context(), conn); !errors.As(err, &refused) {
			t.Errorf("a bad file: %v", err)
		}
		users, err := valkey.ACLList(t.Context(), conn)
		must(t, err)
		if len(users) != 3 {
			t.Errorf("after a bad file: %q", users)
		}
		s.WriteFile("users.acl", "user default off\nuser op on >secret +@all ~* &*\n")
		must(t, valkey.ACLLoad(t.Context(), conn))
		eventually(t, func() error { // the removed user is thrown out
			if err := reader.Do(t.Context(), valkey.Cmd("CLUSTER", "INFO"))[0].Err(); !errors.Is(err, valkey.ErrClosed) {
				return fmt.Errorf("removed user gets %w", err)
			}
			return nil
		})
	})
}

func TestRealPasswordOfDefaultUser(t *testing.T) {
	valkeytest.Each(t, func(t *testing.T, bin valkeytest.Binary) {
		s := valkeytest.Start(t, bin, 1, valkeytest.Options{Settings: []string{"requirepass secret"}, Credentials: credentials("", "secret")})[0]
		_, err := valkey.Observe(t.Context(), s.Conn(t))
		must(t, err)
		_, err = valkey.TCP{}.Dial(t.Context(), valkey.Target{Addr: s.Addr()})
		want(t, err, valkey.ErrAuth)
	})
}

func TestRealMaxClients(t *testing.T) {
	valkeytest.Each(t, func(t *testing.T, bin valkeytest.Binary) {
		s := valkeytest.Start(t, bin, 1, valkeytest.Options{Settings: []string{"maxclients 2"}})[0]
		s.Conn(t)
		s.Conn(t)
		for _, who := range []valkey.Credentials{{}, credentials("default", "x")} {
			_, err := valkey.TCP{}.Dial(t.Context(), valkey.Target{Addr: s.Addr(), Credentials: who})
			want(t, err, valkey.ErrMaxClients)
		}
		if verdict, err := (valkey.TCP{}).Probe(t.Context(), s.Target()); verdict != valkey.Answered {
			t.Errorf("%s, %v", verdict, err)
		}
	})
}

// While a server reads its data it can be observed, and says so.
func TestRealLoading(t *testing.T) {
	valkeytest.Each(t, func(t *testing.T, bin valkeytest.Binary) {
		s := valkeytest.Start(t, bin, 1, valkeytest.Options{})[0]
		conn := s.Conn(t)
		id, err := valkey.MyID(t.Context(), conn)
		must(t, err)
		batch := []valkey.Command{valkey.Cmd("CLUSTER", "ADDSLOTSRANGE", "0", "16383")}
		for _, reply := range conn.Do(t.Context(), batch...) {
			must(t, reply.Err())
		}
		eventually(t, func() error { return conn.Do(t.Context(), valkey.Cmd("SET", "key", "x"))[0].Err() })
		batch = nil
		for i := range 2000 {
			batch = append(batch, valkey.Cmd("SET", fmt.Sprint("key", i), "x"))
		}
		for _, reply := range conn.Do(t.Context(), append(batch, valkey.Cmd("SAVE"))...) {
			must(t, reply.Err())
		}
		s.Kill()
		s.Configure("key-load-delay 1000", "loading-process-events-interval-bytes 1024")
		s.Restart()

		o, err := valkey.Observe(t.Context(), s.Conn(t))
		must(t, err)
		if !o.Persistence.Loading || o.ID() != id || o.Replication.Role != valkey.Primary {
			t.Errorf("loading %v, node %s, %+v", o.Persistence.Loading, o.ID(), o.Replication)
		}
		want(t, s.Conn(t).Do(t.Context(), valkey.Cmd("PING"))[0].Err(), valkey.ErrLoading)
		if verdict, err := (valkey.TCP{}).Probe(t.Context(), s.Target()); verdict != valkey.Answered {
			t.Errorf("%s, %v", verdict, err)
		}
		eventually(t, func() error {
			o, err := valkey.Observe(t.Context(), s.Conn(t))
			if err == nil && (o.Persistence.Loading || o.Keys != 2001) {
				err = errors.New("still loading")
			}
			return err
		})
	})
}

func TestRealTLS(t *testing.T) {
	valkeytest.Each(t, func(t *testing.T, bin valkeytest.Binary) {
		authority := valkey.NewAuthority(t)
		issue := func(name string) (cert, key string) {
			return valkey.PairPEM(t, authority.Issue(name, net.IPv4zero, time.Now().Add(time.Hour)))
		}
		cert, key := issue("node.example.org")
		client := authority.Issue("client", net.IPv4zero, time.Now().Add(time.Hour))
		s := valkeytest.Start(t, bin, 1, valkeytest.Options{
			Settings: []string{"tls-cluster yes", "tls-replication yes", "tls-ca-cert-file ca.pem", "tls-cert-file cert.pem", "tls-key-file key.pem"},
			Files:    map[string]string{"ca.pem": authority.PEM(), "cert.pem": cert, "key.pem": key},
			TLS:      &valkey.TLS{Roots: authority.Roots(), ServerName: "node.example.org", Certificate: client},
		})[0]
		pool := valkey.NewPool(valkey.TCP{}, time.Hour)
		t.Cleanup(pool.Close)
		for range 3 {
			conn, err := pool.Dial(t.Context(), s.Target())
			must(t, err)
			_, err = valkey.Observe(t.Context(), conn)
			must(t, err)
			conn.Close()
		}
		held, err := valkey.TCP{}.Hold(t.Context(), s.Target())
		must(t, err)
		must(t, held.Wait(t.Context(), 100*time.Millisecond))
		must(t, held.Do(t.Context(), valkey.Cmd("PING"))[0].Err())

		for name, secure := range map[string]*valkey.TLS{
			"no certificate of ours": {Roots: authority.Roots(), ServerName: "node.example.org"},
			"another name":           {Roots: authority.Roots(), ServerName: "other.example.org", Certificate: client},
			"another authority":      {Roots: valkey.NewAuthority(t).Roots(), ServerName: "node.example.org", Certificate: client},
		} {
			_, err := valkey.TCP{}.Dial(t.Context(), valkey.Target{Addr: s.Addr(), TLS: secure})
			if !errors.Is(err, valkey.ErrTLS) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := (valkey.TCP{}).Dial(context.Background(), valkey.Target{Addr: s.Addr()}); err == nil {
			t.Error("plain text was accepted")
		}
		s.Kill()
		want(t, held.Wait(t.Context(), patience), valkey.ErrClosed)
	})
}
