package valkey

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"
)

// scriptedConn is a network connection whose every call the test decides.
type scriptedConn struct {
	net.Conn
	read        io.Reader
	write       func([]byte) (int, error)
	setDeadline func(time.Time) error
}

func (c *scriptedConn) Read(buf []byte) (int, error)  { return c.read.Read(buf) }
func (c *scriptedConn) Write(buf []byte) (int, error) { return c.write(buf) }
func (c *scriptedConn) SetDeadline(at time.Time) error {
	if c.setDeadline == nil {
		return nil
	}
	return c.setDeadline(at)
}
func (c *scriptedConn) Close() error { return nil }

func connOver(nc net.Conn) *tcpConn {
	return &tcpConn{nc: nc, in: decoder{r: bufio.NewReader(nc)}, limit: time.Minute}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// When writing failed, what can still be read says more.
func TestFailedWriteIsExplainedByWhatIsRead(t *testing.T) {
	for name, test := range map[string]struct {
		read io.Reader
		want error
	}{
		"a refusal":   {strings.NewReader("-ERR max number of clients reached\r\n"), ErrMaxClients},
		"a TLS alert": {failing{&net.OpError{Op: "remote error", Err: errors.New("tls: certificate required")}}, ErrTLS},
		"nothing":     {failing{io.EOF}, syscall.EPIPE},
	} {
		c := connOver(&scriptedConn{read: test.read, write: func([]byte) (int, error) { return 0, syscall.EPIPE }})
		if err := c.Do(context.Background(), Cmd("A"))[0].Err(); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
}

// A context that ends while the last reply arrives may reach the connection
// late. The next command must not be interrupted by it.
func TestLateInterruptionBreaksTheConnection(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	interrupting, proceed := make(chan struct{}), make(chan struct{})
	defer close(proceed)
	sent := 0
	c := connOver(&scriptedConn{
		read: io.MultiReader(strings.NewReader("+OK\r\n"), strings.NewReader("+OK\r\n")),
		write: func(buf []byte) (int, error) {
			sent++
			cancel()
			<-interrupting // the reply is read while the interruption is on its way
			return len(buf), nil
		},
		setDeadline: func(at time.Time) error {
			if at.Equal(longAgo) {
				close(interrupting)
				<-proceed
			}
			return nil
		},
	})
	if err := c.Do(ctx, Cmd("A"))[0].Err(); err != nil {
		t.Errorf("the reply that came: %v", err)
	}
	wantKind(t, c.Do(context.Background(), Cmd("B"))[0].Err(), ErrReleased)
	if sent != 1 {
		t.Errorf("%d commands were sent", sent)
	}
}

func TestIdleConnectionOutlivesItsLastDeadline(t *testing.T) {
	c := dial(t, TCP{DialLimit: time.Hour, ReplyLimit: 100 * time.Millisecond}, Target{Addr: listen(t, answering(ok))})
	if err := c.Do(context.Background(), Cmd("A"))[0].Err(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond)
	if !c.Alive() {
		t.Error("not alive after its last deadline has passed")
	}
}
