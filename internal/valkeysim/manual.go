package valkeysim

import (
	"time"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// manualTimeout is cluster-manual-failover-timeout.
const manualTimeout = 5 * time.Second

// manual is a failover that somebody asked for, on either side of it.
type manual struct {
	end     instant       // 0 when there is none
	replica valkey.NodeID // on the primary: for whom it holds clients back
	offset  int64         // on the replica: where the primary stopped; -1 is unknown
	forced  bool
}

func (m *manual) reset() { *m = manual{offset: -1} }

// clientsHeld reports whether a primary holds writes back.
func (m *manual) clientsHeld(now instant) bool { return m.end > now && m.replica != "" }

// told notes where the primary stopped.
func (m *manual) told(offset int64) {
	if m.end != 0 && m.replica == "" && m.offset < 0 {
		m.offset = offset
	}
}

// mayStart reports whether the replica may ask for votes now.
func (m *manual) mayStart(p *process) bool {
	return m.end > p.now() && m.replica == "" && (m.forced || m.offset >= 0 && m.offset == p.stream.offset)
}

// manualCron ends what took too long, and keeps telling the replica where the
// primary stopped.
func (p *process) manualCron() {
	if p.manual.end != 0 && p.manual.end <= p.now() {
		p.manual.reset()
	}
	if p.manual.clientsHeld(p.now()) {
		p.tellStop()
	}
}

func (p *process) tellStop() {
	if n := p.find(p.manual.replica); n != nil {
		p.send(n, p.greeting(ping, n))
	}
}

// startManual is a primary's part: it stops writes for its replica.
func (p *process) startManual(sender *node) {
	if p.self.replica || !sender.replica || sender.primary != p.self.id {
		return
	}
	p.manual = manual{end: p.now() + manualTimeout, replica: sender.id, offset: -1}
	p.tellStop()
}

// failover carries out CLUSTER FAILOVER.
func (p *process) failover(mode string) error {
	primary := p.shardOf(p.self)
	switch {
	case !p.self.replica:
		return refuse("ERR You should send CLUSTER FAILOVER to a replica")
	case primary == nil:
		return refuse("ERR I'm a replica but my master is unknown to me")
	case mode == "" && (primary.failed || !primary.connected):
		return refuse("ERR Master is down or failed, please use CLUSTER FAILOVER FORCE")
	}
	p.manual = manual{end: p.now() + manualTimeout, offset: -1}
	if p.server.version.AtLeast(8, 1) { // 8.0 waits for the next attempt (facts 2)
		p.election.reset()
	}
	switch mode {
	case "TAKEOVER": // a new epoch without anybody's vote (facts 7)
		p.currentEpoch++
		p.self.epoch = p.currentEpoch
		p.promote(primary)
		if p.server.version.AtLeast(9, 0) { // facts 10
			p.claimKeys()
		}
	case "FORCE":
		p.manual.forced = true
		if p.server.version.AtLeast(8, 1) { // 8.0 waits for a tick (facts 2)
			p.electionCron()
		}
	default:
		p.send(primary, p.packet(manualStart))
	}
	return nil
}
