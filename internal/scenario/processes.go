package scenario

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/topology"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/valkeytest"
)

// Processes is the ground of real servers.
type Processes struct {
	valkey.TCP
	T   testing.TB
	Bin valkeytest.Binary
}

// settings are those that the operator gives by default, with a short timeout.
var settings = []string{
	"cluster-node-timeout 2000",
	"cluster-require-full-coverage no",
	"cluster-allow-replica-migration no",
	"repl-diskless-sync-delay 0",
	"save 3600 1", // so that a clean stop saves
}

// Add implements [Ground].
func (p Processes) Add(topology.Name) Server {
	p.T.Helper()
	s := valkeytest.Start(p.T, p.Bin, 1, valkeytest.Options{Settings: settings})[0]
	s.Kill() // it has an address now; a pod starts it
	s.Wipe()
	return &process{Server: s}
}

// Inside implements [Ground].
func (p Processes) Inside(ctx context.Context, s Server) (valkey.Conn, error) {
	return p.Dial(ctx, s.(*process).Target())
}

// Pass implements [Ground].
func (p Processes) Pass(d time.Duration) { time.Sleep(d) }

type process struct {
	*valkeytest.Server
	running bool
}

func (p *process) Running() bool { return p.running }

func (p *process) Start() bool {
	p.Restart()
	p.running = true
	return true
}

func (p *process) Stop() {
	p.Server.Stop()
	p.running = false
}

func (p *process) Kill() {
	p.Server.Kill()
	p.running = false
}

const confFile = "nodes.conf"

func (p *process) EmptyConf() { p.WriteFile(confFile, "") }

func (p *process) CutConf() { p.WriteFile(confFile, ownLine(p.ReadFile(confFile))) }

func (p *process) OutrankConf() bool {
	conf, found := outranked(p.ReadFile(confFile))
	p.WriteFile(confFile, conf)
	return found
}

func (p *process) CopyVolume(of Server) {
	p.Wipe()
	for _, name := range []string{confFile, "dump.rdb"} {
		p.WriteFile(name, of.(*process).ReadFile(name))
	}
}

// Renew draws an ID; which one makes no difference.
func (p *process) Renew() {
	p.WriteFile(confFile, renewed(valkey.NodeID(fmt.Sprintf("%016x%016x%08x", rand.Uint64(), rand.Uint64(), rand.Uint32()))))
}

// Save waits until the data set is on the disk.
func (p *process) Save() { p.command("SAVE") }

// Value implements [Server].
func (p *process) Value(key string) string {
	text, _ := p.command("GET", key).Text()
	return text
}

// Saved is not known of a real disk.
func (p *process) Saved(string) string { return "" }

// command asks the server itself, replica or not.
func (p *process) command(args ...string) valkey.Reply {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := valkey.TCP{}.Dial(ctx, p.Target())
	if err != nil {
		return valkey.ErrReply(err)
	}
	defer conn.Close()
	return conn.Do(ctx, valkey.Cmd("READONLY"), valkey.Cmd(args...))[1]
}
