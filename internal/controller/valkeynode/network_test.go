package valkeynode

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// network stands for the servers in all pods. Every address answers, as a
// primary, unless the test says otherwise.
type network struct {
	mu       sync.Mutex
	silent   bool
	servers  map[netip.Addr]*server
	password string // what the default user needs, if anything
	writes   []string
	dials    int
}

// server is one Valkey server.
type server struct {
	role    string // master or slave
	primary string
	runID   string
	config  map[string]string
}

func newNetwork() *network { return &network{servers: map[netip.Addr]*server{}} }

// at has f change the server at an address.
func (n *network) at(ip string, f func(*server)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f(n.server(netip.MustParseAddr(ip)))
}

func (n *network) set(f func(*network)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f(n)
}

// sets returns the CONFIG SET commands that servers were sent.
func (n *network) sets() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.writes...)
}

func (n *network) server(ip netip.Addr) *server {
	if n.servers[ip] == nil {
		n.servers[ip] = &server{role: "master", runID: "run-of-" + ip.String(), config: map[string]string{
			"dir": "/data", "cluster-config-file": "/data/nodes.conf", "protected-mode": "no",
			"maxmemory": "0", "maxclients": "10000", "io-threads": "1", "tcp-backlog": "511", "save": "3600 1 300 100 60 10000",
		}}
	}
	return n.servers[ip]
}

func (n *network) Dial(_ context.Context, t valkey.Target) (valkey.Conn, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dials++
	if n.silent {
		return nil, &valkey.NetError{Op: "dial", Addr: t.Addr, Kind: valkey.ErrRefused, Err: syscall.ECONNREFUSED}
	}
	if n.password != t.Credentials.Password.Reveal() {
		return nil, fmt.Errorf("%w: %s", valkey.ErrAuth, "WRONGPASS")
	}
	return &conn{network: n, ip: t.Addr.Addr()}, nil
}

func (n *network) Hold(ctx context.Context, t valkey.Target) (valkey.Held, error) {
	c, err := n.Dial(ctx, t)
	if err != nil {
		return nil, err
	}
	return held{c}, nil
}

// held is a connection that the server never closes.
type held struct{ valkey.Conn }

func (held) Wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return &valkey.NetError{Op: "held connection", Kind: valkey.ErrReleased, Err: ctx.Err()}
	case <-time.After(d):
		return nil
	}
}

type conn struct {
	network *network
	ip      netip.Addr
}

func (c *conn) Close() {}

func (c *conn) Do(_ context.Context, cmds ...valkey.Command) []valkey.Reply {
	c.network.mu.Lock()
	defer c.network.mu.Unlock()
	replies := make([]valkey.Reply, len(cmds))
	for i, cmd := range cmds {
		if c.network.silent {
			replies[i] = valkey.ErrReply(&valkey.NetError{Op: cmd.String(), Kind: valkey.ErrClosed})
			continue
		}
		replies[i] = c.network.answer(c.network.server(c.ip), cmd.Args)
	}
	return replies
}

func (n *network) answer(s *server, args []string) valkey.Reply {
	switch {
	case args[0] == "INFO":
		text := fmt.Sprintf("valkey_version:9.1.2\r\nrun_id:%s\r\nrole:%s\r\n", s.runID, s.role)
		if s.role == "slave" {
			text += fmt.Sprintf("master_host:%s\r\nmaster_port:6379\r\nmaster_link_status:up\r\n", s.primary)
		}
		return valkey.TextReply(text)
	case args[0] == "ROLE" && s.role == "slave":
		return valkey.ListReply(valkey.TextReply("slave"), valkey.TextReply(s.primary), valkey.IntReply(6379), valkey.TextReply("connected"), valkey.IntReply(1))
	case args[0] == "ROLE":
		return valkey.ListReply(valkey.TextReply("master"), valkey.IntReply(1), valkey.ListReply())
	case args[0] == "CONFIG" && args[1] == "GET":
		if value, ok := s.config[args[2]]; ok {
			return valkey.ListReply(valkey.TextReply(args[2]), valkey.TextReply(value))
		}
		return valkey.ListReply()
	case args[0] == "CONFIG" && args[1] == "SET":
		return n.configSet(s, args[2], args[3])
	}
	return valkey.ErrReply(errors.New("not a command of this fake: " + strings.Join(args, " ")))
}

// immutable directives are read at start, as those of 8.0.
var immutable = map[string]bool{"io-threads": true, "tcp-backlog": true}

func (n *network) configSet(s *server, name, value string) valkey.Reply {
	n.writes = append(n.writes, name+" "+value)
	_, known := s.config[name]
	switch {
	case !known:
		return refuse("Unknown option or number of arguments for CONFIG SET - '%s'", name)
	case immutable[name]:
		return refuse("CONFIG SET failed (possibly related to argument '%s') - can't set immutable config", name)
	case name == "maxmemory" && value == "abc":
		return refuse("CONFIG SET failed (possibly related to argument '%s') - argument must be a memory value", name)
	}
	s.config = maps.Clone(s.config)
	s.config[name] = value
	return valkey.TextReply("OK")
}

func refuse(format, name string) valkey.Reply {
	return valkey.ErrReply(&valkey.ServerError{Code: "ERR", Message: fmt.Sprintf(format, name)})
}
