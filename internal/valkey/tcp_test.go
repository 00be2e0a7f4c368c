package valkey

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestDialLogsIn(t *testing.T) {
	for _, test := range []struct {
		name  string
		creds Credentials
		want  []string
	}{
		{"nobody", Credentials{}, []string{"CLIENT SETNAME me"}},
		{"default user", Credentials{Password: NewPassword("pw")}, []string{"AUTH default pw", "CLIENT SETNAME me"}},
		{"named user", Credentials{Username: "op", Password: NewPassword("pw")}, []string{"AUTH op pw", "CLIENT SETNAME me"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			seen := make(chan string, 10)
			addr := listen(t, answering(func(args []string) string {
				seen <- strings.Join(args, " ")
				return "+OK\r\n"
			}))
			dial(t, TCP{Name: "me"}, Target{Addr: addr, Credentials: test.creds})
			for _, want := range test.want {
				if got := <-seen; got != want {
					t.Errorf("server was sent %q, want %q", got, want)
				}
			}
			if len(seen) > 0 {
				t.Errorf("server was also sent %q", <-seen)
			}
		})
	}
}

func TestDialRefused(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer string
		want   error
	}{
		{"wrong password", "-WRONGPASS invalid username-password pair or user is disabled.\r\n", ErrAuth},
		{"no password given", "-NOAUTH Authentication required.\r\n", ErrAuth},
		{"password not asked for", "-ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?\r\n", ErrAuth},
		{"too many clients", "-ERR max number of clients reached\r\n", ErrMaxClients},
		{"protected mode", "-DENIED Valkey is running in protected mode because protected mode is enabled\r\n", ErrDenied},
	} {
		t.Run(test.name, func(t *testing.T) {
			addr := listen(t, answering(func([]string) string { return test.answer }))
			for _, creds := range []Credentials{{}, {Username: "op", Password: NewPassword("pw")}} {
				_, err := TCP{}.Dial(context.Background(), Target{Addr: addr, Credentials: creds})
				if !errors.Is(err, test.want) {
					t.Errorf("as %q: %v, want %v", creds.Username, err, test.want)
				}
			}
		})
	}
}

// A server that is full answers and closes without reading what we sent.
func TestDialReadsRefusalOfServerThatClosedAlready(t *testing.T) {
	addr := listen(t, func(c net.Conn) {
		_, _ = c.Write([]byte("-ERR max number of clients reached\r\n"))
		hangUp(c)
	})
	for range 50 {
		_, err := TCP{}.Dial(context.Background(), Target{Addr: addr})
		if !errors.Is(err, ErrMaxClients) {
			t.Fatalf("error %v, want %v", err, ErrMaxClients)
		}
	}
}

func TestDialToleratesUserWithoutRightToSetName(t *testing.T) {
	addr := listen(t, answering(func(args []string) string {
		if args[0] == "CLIENT" {
			return "-NOPERM User op has no permissions to run the 'client|setname' command\r\n"
		}
		return "+OK\r\n"
	}))
	dial(t, TCP{}, Target{Addr: addr})
}

func TestDialFailures(t *testing.T) {
	for _, test := range []struct {
		name  string
		serve func(net.Conn)
		want  error
	}{
		{"silent server", silent, ErrTimeout},
		{"closing server", hangUp, ErrClosed},
		{"resetting server", reset, ErrClosed},
		{"other protocol", func(c net.Conn) { _, _ = c.Write([]byte("220 mail ready\r\n")); silent(c) }, ErrProtocol},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := TCP{DialLimit: 200 * time.Millisecond}.Dial(context.Background(), Target{Addr: listen(t, test.serve)})
			wantKind(t, err, test.want)
		})
	}
	t.Run("nobody listens", func(t *testing.T) {
		_, err := TCP{}.Dial(context.Background(), Target{Addr: deadPort(t)})
		wantKind(t, err, ErrRefused)
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(50*time.Millisecond, cancel)
		_, err := TCP{DialLimit: patience}.Dial(ctx, Target{Addr: listen(t, silent)})
		wantKind(t, err, ErrReleased)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v does not match context.Canceled", err)
		}
	})
}

func TestDoAnswersEachCommand(t *testing.T) {
	addr := listen(t, answering(func(args []string) string {
		switch args[0] {
		case "ONE":
			return ":1\r\n"
		case "BAD":
			return "-ERR no\r\n"
		}
		return "$3\r\nabc\r\n"
	}))
	c := dial(t, TCP{}, Target{Addr: addr})
	replies := c.Do(context.Background(), Cmd("ONE"), Cmd("BAD"), Cmd("TEXT"))
	if n, err := replies[0].Int(); n != 1 || err != nil {
		t.Errorf("first: %d, %v", n, err)
	}
	var refused *ServerError
	if !errors.As(replies[1].Err(), &refused) || refused.Message != "no" {
		t.Errorf("second: %v", replies[1].Err())
	}
	if text, err := replies[2].Text(); text != "abc" || err != nil {
		t.Errorf("third: %q, %v", text, err)
	}
	if got := c.Do(context.Background()); len(got) != 0 {
		t.Errorf("%d replies to nothing", len(got))
	}
}

// The first reply that does not come breaks the connection for good; replies
// before it are good.
func TestDoBreaks(t *testing.T) {
	for _, test := range []struct {
		name string
		last func(net.Conn)
		want error
	}{
		{"silence", silent, ErrTimeout},
		{"close", hangUp, ErrClosed},
		{"reset", reset, ErrClosed},
		{"half a reply", func(c net.Conn) { _, _ = c.Write([]byte("$5\r\nab")); hangUp(c) }, ErrClosed},
		{"garbage", func(c net.Conn) { _, _ = c.Write([]byte("hello\r\n")); silent(c) }, ErrProtocol},
	} {
		t.Run(test.name, func(t *testing.T) {
			addr := listen(t, after(2, test.last)) // the login and one more
			c := dial(t, TCP{ReplyLimit: 300 * time.Millisecond}, Target{Addr: addr})
			replies := c.Do(context.Background(), Cmd("A"), Cmd("B"), Cmd("C"))
			if err := replies[0].Err(); err != nil && !errors.Is(test.want, ErrClosed) {
				t.Errorf("first reply: %v", err) // a reset may overtake it
			}
			wantKind(t, replies[1].Err(), test.want)
			wantKind(t, replies[2].Err(), test.want)
			wantKind(t, c.Do(context.Background(), Cmd("D"))[0].Err(), test.want)
			if c.Alive() {
				t.Error("the connection says it is alive")
			}
		})
	}
}

func TestDoLimits(t *testing.T) {
	for _, test := range []struct {
		name string
		conn time.Duration
		cmds []Command
		ctx  time.Duration // 0: none
		want time.Duration
	}{
		{"of the connection", 200 * time.Millisecond, []Command{Cmd("A")}, 0, 200 * time.Millisecond},
		{"of the connection, context longer", 200 * time.Millisecond, []Command{Cmd("A")}, patience, 200 * time.Millisecond},
		{"of the context", patience, []Command{Cmd("A")}, 200 * time.Millisecond, 200 * time.Millisecond},
		{"of the slowest command", 10 * time.Millisecond, []Command{Cmd("A"), Cmd("B").Within(400 * time.Millisecond)}, 0, 400 * time.Millisecond},
		{"of the context, command longer", 10 * time.Millisecond, []Command{Cmd("B").Within(patience)}, 200 * time.Millisecond, 200 * time.Millisecond},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := dial(t, TCP{ReplyLimit: test.conn}, Target{Addr: listen(t, after(1, silent))})
			ctx := context.Background()
			if test.ctx > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, test.ctx)
				defer cancel()
			}
			start := time.Now()
			err := c.Do(ctx, test.cmds...)[0].Err()
			took := time.Since(start)
			wantKind(t, err, ErrTimeout)
			if took < test.want || took > patience/2 {
				t.Errorf("took %v, want about %v", took, test.want)
			}
		})
	}
}

func TestDoEndsWithItsContext(t *testing.T) {
	c := dial(t, TCP{ReplyLimit: patience}, Target{Addr: listen(t, after(1, silent))})
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	start := time.Now()
	wantKind(t, c.Do(ctx, Cmd("A"))[0].Err(), ErrReleased)
	if took := time.Since(start); took > patience/2 {
		t.Errorf("took %v after the context was cancelled", took)
	}
	wantKind(t, c.Do(context.Background(), Cmd("A"))[0].Err(), ErrReleased)
}

func TestDoWithEndedContextSendsNothing(t *testing.T) {
	var sent atomic.Int32
	addr := listen(t, answering(func([]string) string { sent.Add(1); return "+OK\r\n" }))
	c := dial(t, TCP{}, Target{Addr: addr})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	wantKind(t, c.Do(ctx, Cmd("A"))[0].Err(), ErrReleased)
	c.Close()
	if n := sent.Load(); n != 1 { // the login
		t.Errorf("%d commands were sent", n)
	}
}

// Contexts that end right after a reply must not disturb the next command.
func TestDoSurvivesContextsThatEndLate(t *testing.T) {
	addr := listen(t, answering(ok))
	for range 300 {
		c := dial(t, TCP{}, Target{Addr: addr})
		ctx, cancel := context.WithCancel(context.Background())
		go cancel()
		_ = c.Do(ctx, Cmd("A"))
		err := c.Do(context.Background(), Cmd("B"))[0].Err()
		if err != nil && !errors.Is(err, ErrReleased) {
			t.Fatalf("the command after a cancelled one: %v", err)
		}
		c.Close()
	}
}

func TestUnaskedReplyIsNobodysAnswer(t *testing.T) {
	addr := listen(t, saying("+OK\r\n+this was not asked for\r\n"))
	c := dial(t, TCP{}, Target{Addr: addr})
	if c.Alive() {
		t.Error("the connection says it is alive")
	}
	wantKind(t, c.Do(context.Background(), Cmd("A"))[0].Err(), ErrProtocol)
}

func TestAlive(t *testing.T) {
	t.Run("idle", func(t *testing.T) {
		c := dial(t, TCP{}, Target{Addr: listen(t, answering(ok))})
		for range 3 {
			if !c.Alive() {
				t.Fatal("not alive")
			}
			if err := c.Do(context.Background(), Cmd("A"))[0].Err(); err != nil {
				t.Fatalf("asking whether it lives broke the connection: %v", err)
			}
		}
		c.Close()
		if c.Alive() {
			t.Error("alive after Close")
		}
	})
	for name, end := range map[string]func(net.Conn){"closed": hangUp, "reset": reset} {
		t.Run(name, func(t *testing.T) {
			c := dial(t, TCP{}, Target{Addr: listen(t, after(1, end))})
			for deadline := time.Now().Add(patience); c.Alive(); time.Sleep(time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatal("still alive")
				}
			}
		})
	}
}

func TestCloseDoesNotWait(t *testing.T) {
	c := dial(t, TCP{}, Target{Addr: listen(t, after(1, silent))})
	start := time.Now()
	c.Close()
	c.Close()
	if took := time.Since(start); took > 500*time.Millisecond {
		t.Errorf("took %v", took)
	}
	wantKind(t, c.Do(context.Background(), Cmd("A"))[0].Err(), ErrReleased)
}

// What is sent must be what a server reads.
func TestEncode(t *testing.T) {
	got := string(encode(nil, []Command{Cmd("CLUSTER", "MYID"), Cmd("SET", "", "a\r\nb")}))
	want := "*2\r\n$7\r\nCLUSTER\r\n$4\r\nMYID\r\n*3\r\n$3\r\nSET\r\n$0\r\n\r\n$4\r\na\r\nb\r\n"
	if got != want {
		t.Errorf("encoded %q, want %q", got, want)
	}
}

func TestErrorsNameTheCommandButNotItsArguments(t *testing.T) {
	c := dial(t, TCP{ReplyLimit: 50 * time.Millisecond}, Target{Addr: listen(t, after(1, silent))})
	replies := c.Do(context.Background(), Cmd("CONFIG", "SET", "requirepass", "hunter2"), Cmd("AUTH", "op", "hunter2"))
	text := replies[0].Err().Error()
	if strings.Contains(text, "hunter2") || !strings.Contains(text, "CONFIG SET and 1 more") {
		t.Errorf("error says %q", text)
	}
	if !strings.HasPrefix(text, c.addr.String()) {
		t.Errorf("error %q does not begin with the address", text)
	}
}
