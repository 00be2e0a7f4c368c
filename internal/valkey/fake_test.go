package valkey

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"
)

// patience is how long something may take that is expected to happen.
const patience = 30 * time.Second

// listen serves every connection on a loopback port with serve, which owns it.
func listen(t *testing.T, serve func(net.Conn)) netip.AddrPort {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = c.Close() })
			serving.Go(func() { serve(c) })
		}
	})
	t.Cleanup(serving.Wait)
	t.Cleanup(func() { _ = l.Close() })
	return netip.MustParseAddrPort(l.Addr().String())
}

// answering serves commands with the raw text that answer returns for each.
func answering(answer func(args []string) string) func(net.Conn) {
	return func(c net.Conn) {
		in := decoder{r: bufio.NewReader(c)}
		for {
			args, err := readCommand(&in)
			if err != nil {
				return
			}
			if _, err := io.WriteString(c, answer(args)); err != nil {
				return
			}
		}
	}
}

func readCommand(in *decoder) ([]string, error) {
	request, err := in.reply() // a command is written like a reply
	if err != nil {
		return nil, err
	}
	return request.Texts()
}

func ok([]string) string { return "+OK\r\n" }

// after serves like ok until it has answered n commands, and then leaves the
// connection to last.
func after(n int, last func(net.Conn)) func(net.Conn) {
	return func(c net.Conn) {
		in := decoder{r: bufio.NewReader(c)}
		for range n {
			if _, err := readCommand(&in); err != nil {
				return
			}
			if _, err := io.WriteString(c, "+OK\r\n"); err != nil {
				return
			}
		}
		last(c)
	}
}

// silent reads and never answers.
func silent(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// saying answers the next command with raw text, whatever it is.
func saying(text string) func(net.Conn) {
	return func(c net.Conn) {
		buf := make([]byte, 1)
		if _, err := c.Read(buf); err != nil {
			return
		}
		_, _ = io.WriteString(c, text)
		silent(c)
	}
}

// hangUp closes properly, reset without ceremony.
func hangUp(c net.Conn) { _ = c.Close() }

func reset(c net.Conn) {
	_ = c.(*net.TCPConn).SetLinger(0)
	_ = c.Close()
}

// deadPort is an address at which nothing listens.
func deadPort(t *testing.T) netip.AddrPort {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return netip.MustParseAddrPort(l.Addr().String())
}

// dial expects success.
func dial(t *testing.T, n TCP, target Target) *tcpConn {
	t.Helper()
	c, err := n.dial(context.Background(), target)
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	t.Cleanup(c.Close)
	return c
}

// wantKind checks that err is a NetError of that kind.
func wantKind(t *testing.T, err, kind error) {
	t.Helper()
	var failed *NetError
	if !errors.As(err, &failed) || !errors.Is(failed.Kind, kind) {
		t.Errorf("error %v, want a NetError for %q", err, kind)
	}
}
