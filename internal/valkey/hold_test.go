package valkey

import (
	"context"
	"errors"
	"net"
	"syscall"
	"testing"
	"time"
)

func hold(t *testing.T, serve func(net.Conn)) Held {
	t.Helper()
	held, err := TCP{}.Hold(t.Context(), Target{Addr: listen(t, serve)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(held.Close)
	return held
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
			held := hold(t, after(1, func(c net.Conn) { <-now; test.end(c) }))
			time.AfterFunc(20*time.Millisecond, func() { close(now) })
			err := held.Wait(t.Context(), patience)
			wantKind(t, err, ErrClosed)
			if test.cause != nil && !errors.Is(err, test.cause) {
				t.Errorf("%v does not match %v", err, test.cause)
			}
			if again := held.Wait(t.Context(), patience); !errors.Is(again, ErrClosed) {
				t.Errorf("once more: %v", again)
			}
			wantKind(t, held.Do(t.Context(), Cmd("PING"))[0].Err(), ErrClosed)
		})
	}
}

// Silence is not loss: the connection is waited on and asked in turn.
func TestHoldHolds(t *testing.T) {
	held := hold(t, answering(func([]string) string { return "+PONG\r\n" }))
	for range 3 {
		if err := held.Wait(t.Context(), 20*time.Millisecond); err != nil {
			t.Fatalf("lost: %v", err)
		}
		if err := held.Do(t.Context(), Cmd("PING"))[0].Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// What nobody asked for would be taken for the next reply.
func TestHoldHearsWhatNobodyAsked(t *testing.T) {
	held := hold(t, after(1, func(c net.Conn) {
		_, _ = c.Write([]byte(">2\r\n+invalidate\r\n*0\r\n"))
		silent(c)
	}))
	wantKind(t, held.Wait(t.Context(), 200*time.Millisecond), ErrProtocol)
}

func TestHoldReleased(t *testing.T) {
	t.Run("closed", func(t *testing.T) {
		held := hold(t, after(1, silent))
		held.Close()
		held.Close()
		wantKind(t, held.Wait(t.Context(), patience), ErrReleased)
	})
	t.Run("context ended", func(t *testing.T) {
		held := hold(t, after(1, silent))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		wantKind(t, held.Wait(ctx, patience), ErrReleased)
		wantKind(t, held.Wait(t.Context(), patience), ErrReleased)
	})
	t.Run("context ended before", func(t *testing.T) {
		held := hold(t, after(1, silent))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		wantKind(t, held.Wait(ctx, patience), ErrReleased)
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
