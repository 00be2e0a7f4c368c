package valkey

import (
	"context"
	"errors"
	"net"
	"syscall"
	"testing"
	"time"
)

func hold(t *testing.T, ctx context.Context, serve func(net.Conn)) Link {
	t.Helper()
	link, err := TCP{}.Hold(ctx, Target{Addr: listen(t, serve)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(link.Close)
	return link
}

func awaitLoss(t *testing.T, link Link) error {
	t.Helper()
	select {
	case <-link.Lost():
		return link.Err()
	case <-time.After(patience):
		t.Fatal("the end was not noticed")
		return nil
	}
}

func TestHoldNoticesThePeer(t *testing.T) {
	for name, test := range map[string]struct {
		end   func(net.Conn)
		cause error
	}{
		"closing":        {hangUp, nil},
		"resetting":      {reset, syscall.ECONNRESET},
		"saying goodbye": {func(c net.Conn) { _, _ = c.Write([]byte("-ERR bye\r\n")); hangUp(c) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			now := make(chan struct{})
			link := hold(t, context.Background(), after(1, func(c net.Conn) { <-now; test.end(c) }))
			if link.Err() != nil {
				t.Errorf("an error while held: %v", link.Err())
			}
			close(now)
			err := awaitLoss(t, link)
			wantKind(t, err, ErrClosed)
			if test.cause != nil && !errors.Is(err, test.cause) {
				t.Errorf("%v does not match %v", err, test.cause)
			}
		})
	}
}

// Silence is not loss, and what the server says does not matter.
func TestHoldHolds(t *testing.T) {
	link := hold(t, context.Background(), after(1, func(c net.Conn) {
		_, _ = c.Write([]byte(">2\r\n+invalidate\r\n*0\r\n"))
		silent(c)
	}))
	select {
	case <-link.Lost():
		t.Errorf("lost: %v", link.Err())
	case <-time.After(300 * time.Millisecond):
	}
}

func TestHoldReleased(t *testing.T) {
	t.Run("closed", func(t *testing.T) {
		link := hold(t, context.Background(), after(1, silent))
		link.Close()
		link.Close()
		wantKind(t, awaitLoss(t, link), ErrReleased)
	})
	t.Run("context ended", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		link := hold(t, ctx, after(1, silent))
		cancel()
		wantKind(t, awaitLoss(t, link), ErrReleased)
	})
}

func TestHoldDialErrors(t *testing.T) {
	_, err := TCP{}.Hold(context.Background(), Target{Addr: deadPort(t)})
	wantKind(t, err, ErrRefused)
	addr := listen(t, answering(func([]string) string { return "-NOAUTH Authentication required.\r\n" }))
	if _, err := (TCP{}).Hold(context.Background(), Target{Addr: addr}); !errors.Is(err, ErrAuth) {
		t.Errorf("no login: %v", err)
	}
}

func TestProbe(t *testing.T) {
	for name, test := range map[string]struct {
		serve func(net.Conn)
		want  Verdict
	}{
		"healthy":         {answering(func([]string) string { return "+PONG\r\n" }), Answered},
		"asks for login":  {answering(func([]string) string { return "-NOAUTH Authentication required.\r\n" }), Answered},
		"loading":         {answering(func([]string) string { return "-LOADING x\r\n" }), Answered},
		"full":            {func(c net.Conn) { _, _ = c.Write([]byte("-ERR max number of clients reached\r\n")); hangUp(c) }, Answered},
		"silent":          {silent, Hung},
		"closing":         {hangUp, Dropped},
		"resetting":       {reset, Dropped},
		"another service": {saying("HTTP/1.1 400 Bad Request\r\n"), Garbled},
	} {
		t.Run(name, func(t *testing.T) {
			verdict, err := TCP{DialLimit: 300 * time.Millisecond}.Probe(context.Background(), Target{Addr: listen(t, test.serve)})
			if verdict != test.want || (err == nil) != (test.want == Answered) {
				t.Errorf("%s, %v; want %s", verdict, err, test.want)
			}
		})
	}
	t.Run("nobody listens", func(t *testing.T) {
		verdict, err := TCP{}.Probe(context.Background(), Target{Addr: deadPort(t)})
		if verdict != Refused || !errors.Is(err, ErrRefused) {
			t.Errorf("%s, %v", verdict, err)
		}
	})
	t.Run("we give up", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(50*time.Millisecond, cancel)
		verdict, err := TCP{DialLimit: patience}.Probe(ctx, Target{Addr: listen(t, silent)})
		if verdict != Unknown || err == nil {
			t.Errorf("%s, %v", verdict, err)
		}
	})
	t.Run("without sending a password", func(t *testing.T) {
		sent := make(chan []string, 10)
		addr := listen(t, answering(func(args []string) string { sent <- args; return "+PONG\r\n" }))
		_, _ = TCP{}.Probe(context.Background(), Target{Addr: addr, Credentials: Credentials{Username: "op", Password: NewPassword("pw")}})
		if got := <-sent; len(got) != 1 || got[0] != "PING" || len(sent) > 0 {
			t.Errorf("sent %q and %d more", got, len(sent))
		}
	})
}

// judge is tested apart where the network cannot be had.
func TestJudge(t *testing.T) {
	for _, test := range []struct {
		kind     error
		verdicts map[error]Verdict
		want     Verdict
	}{
		{ErrRefused, whileDialing, Refused},
		{ErrTimeout, whileDialing, Unanswered},
		{ErrUnreachable, whileDialing, Unreachable},
		{ErrNetwork, whileDialing, Unknown},
		{ErrRefused, onceAccepted, Unknown},
		{ErrTimeout, onceAccepted, Hung},
	} {
		if got := judge(context.Background(), &NetError{Kind: test.kind}, test.verdicts); got != test.want {
			t.Errorf("%v: %s, want %s", test.kind, got, test.want)
		}
	}
}
