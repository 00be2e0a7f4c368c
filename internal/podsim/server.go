package podsim

import (
	"bufio"
	"context"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/valkeysim"
)

// server is the process in a pod: a simulated server, and a socket.
type server struct {
	pod       string
	cluster   *cluster
	simulated *valkeysim.Server
	listener  net.Listener

	mu    sync.Mutex
	conns map[net.Conn]bool
}

// start starts a server without data at an address of its own.
func start(pod string, c *cluster, addresses *addresses) (*server, error) {
	listener, ip, err := addresses.listen()
	if err != nil {
		return nil, err
	}
	s := &server{pod: pod, cluster: c, simulated: c.world.Add(pod), listener: listener, conns: map[net.Conn]bool{}}
	s.simulated.MoveTo(ip)
	s.simulated.Start()
	go s.accept()
	return s, nil
}

func (s *server) addr() netip.Addr { return s.simulated.Addr().Addr() }

// stop ends the server as a kubelet does.
func (s *server) stop() {
	s.simulated.Stop()
	_ = s.listener.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.Close()
	}
}

func (s *server) accept() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		if fault, _ := s.cluster.trouble(); fault == Full {
			_, _ = c.Write([]byte("-ERR max number of clients reached\r\n"))
			_ = c.Close()
			continue
		}
		s.keep(c, true)
		go func() {
			defer s.keep(c, false)
			defer c.Close()
			s.serve(c)
		}()
	}
}

func (s *server) keep(c net.Conn, open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if open {
		s.conns[c] = true
		s.cluster.countConnections(1)
		return
	}
	delete(s.conns, c)
	s.cluster.countConnections(-1)
}

// serve answers one client until it goes.
func (s *server) serve(c net.Conn) {
	conn, err := s.cluster.world.Dial(context.Background(), valkey.Target{Addr: s.simulated.Addr()})
	if err != nil {
		return
	}
	defer conn.Close()
	in := bufio.NewReaderSize(c, 512)
	for {
		args, err := readCommand(in)
		if err != nil {
			return
		}
		s.cluster.count(s.pod, valkey.Cmd(args...).String())
		if !s.suffer(c, in) {
			return
		}
		out, answered := appendReply(nil, s.answer(conn, args))
		if !answered {
			return
		}
		if _, err := c.Write(out); err != nil {
			return
		}
	}
}

// suffer lets the fault happen before a command is answered. It returns false
// when the client went away.
func (s *server) suffer(c net.Conn, in *bufio.Reader) bool {
	switch fault, changed := s.cluster.trouble(); fault {
	case Hang:
		return s.silent(c, in, changed)
	case Slow:
		if in.Buffered() == 0 { // once for a batch
			time.Sleep(SlowAnswer)
		}
	}
	return true
}

// silent waits until the client gives up or the fault ends. What the client
// says meanwhile is lost, so that it is closed then.
func (s *server) silent(c net.Conn, in *bufio.Reader, changed <-chan struct{}) bool {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for {
			if _, err := in.ReadByte(); err != nil {
				return
			}
		}
	}()
	select {
	case <-gone:
		s.cluster.countGivenUp(1)
	case <-changed:
		_ = c.Close()
		<-gone
	}
	return false
}

var (
	errWrongPassword = valkey.NewServerError("WRONGPASS invalid username-password pair or user is disabled.")
	errNoLogin       = valkey.NewServerError("NOAUTH Authentication required.")
)

func (s *server) answer(conn valkey.Conn, args []string) valkey.Reply {
	if fault, _ := s.cluster.trouble(); fault == Locked {
		if strings.EqualFold(args[0], "AUTH") {
			return valkey.ErrReply(errWrongPassword)
		}
		return valkey.ErrReply(errNoLogin)
	}
	return conn.Do(context.Background(), valkey.Cmd(args...))[0]
}
