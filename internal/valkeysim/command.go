package valkeysim

import (
	"fmt"
	"strings"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/slots"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

var ok = valkey.TextReply("OK")

// refuse is an error in a server's words.
func refuse(line string) error { return valkey.NewServerError(line) }

func refusal(line string) valkey.Reply { return valkey.ErrReply(refuse(line)) }

// done is OK, or what went wrong.
func done(err error) valkey.Reply {
	if err != nil {
		return valkey.ErrReply(err)
	}
	return ok
}

// command carries out one command as a client sent it.
func (p *process) command(args []string) valkey.Reply {
	name := strings.ToUpper(args[0])
	switch name {
	case "PING":
		return valkey.TextReply("PONG")
	case "CLIENT", "AUTH":
		return ok
	case "INFO":
		return valkey.TextReply(p.info())
	case "CONFIG":
		return p.config(args[1:])
	case "CLUSTER":
		return p.cluster(strings.ToUpper(args[1]), args[2:])
	}
	if p.loading() {
		return refusal("LOADING Valkey is loading the dataset in memory")
	}
	switch name {
	case "DBSIZE":
		return valkey.IntReply(int64(len(p.stream.keys)))
	case "BGSAVE":
		p.save()
		return valkey.TextReply("Background saving started")
	case "SET":
		return done(p.set(args[1], args[2]))
	case "GET":
		return p.get(args[1])
	}
	return refusal(fmt.Sprintf("ERR unknown command '%s'", args[0]))
}

func (p *process) set(key, value string) error {
	if err := p.serves(key); err != nil {
		return err
	}
	if p.manual.clientsHeld(p.now()) { // the client waits; here it gives up
		return failedTo("SET", p.server.Addr(), valkey.ErrTimeout)
	}
	p.stream.write(key, value)
	p.feed()
	return nil
}

func (p *process) get(key string) valkey.Reply {
	if err := p.serves(key); err != nil {
		return valkey.ErrReply(err)
	}
	value, found := p.stream.keys[key]
	if !found {
		return valkey.NullReply()
	}
	return valkey.TextReply(value)
}

// serves returns why the key is not served here.
func (p *process) serves(key string) error {
	slot := slots.KeySlot(key)
	if !p.ok {
		return refuse("CLUSTERDOWN The cluster is down")
	}
	for _, n := range p.nodes {
		if n.slots.Contains(slot) {
			if n == p.self {
				return nil
			}
			return refuse(fmt.Sprintf("MOVED %d %s", slot, n.addr))
		}
	}
	return refuse("CLUSTERDOWN Hash slot not served")
}

const nodeTimeoutName = "cluster-node-timeout"

func (p *process) config(args []string) valkey.Reply {
	switch strings.ToUpper(args[0]) {
	case "GET":
		for _, name := range args[1:] {
			if name == nodeTimeoutName {
				return valkey.ListReply(valkey.TextReply(name), valkey.TextReply(fmt.Sprint(p.nodeTimeout.Milliseconds())))
			}
		}
		return valkey.ListReply()
	case "SET":
		if len(args) != 3 || args[1] != nodeTimeoutName {
			return refusal(fmt.Sprintf("ERR Unknown option or number of arguments for CONFIG SET - '%s'", args[1]))
		}
		d, err := time.ParseDuration(args[2] + "ms")
		if err != nil {
			return refusal("ERR CONFIG SET failed (possibly related to argument '" + args[1] + "') - argument couldn't be parsed into an integer")
		}
		p.nodeTimeout = d
		return ok
	}
	return refusal("ERR unknown subcommand '" + args[0] + "'. Try CONFIG HELP.")
}
