package valkeysim

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/slots"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// view is the answer to CLUSTER NODES.
func (p *process) view() valkey.Nodes {
	nodes := make(valkey.Nodes, 0, len(p.nodes))
	for _, n := range p.nodes {
		line := valkey.Node{
			ID: n.id, Addr: n.addr, BusPort: busPort, Flags: p.flags(n), Primary: n.primary,
			ConfigEpoch: n.epoch,
			LinkUp:      n.connected || n == p.self, Slots: n.slots,
		}
		if shard := p.shardOf(n); shard != nil && n.replica {
			line.ConfigEpoch = shard.epoch
		}
		switch {
		case n == p.self && !n.addr.IsValid(): // facts 4: unknown until it is met
			line.Addr = netip.AddrPortFrom(netip.Addr{}, clientPort)
		case !n.addr.IsValid():
			line.BusPort = 0
		}
		nodes = append(nodes, &line)
	}
	return nodes
}

func (p *process) flags(n *node) valkey.Flags {
	var f valkey.Flags
	for flag, set := range map[valkey.Flags]bool{
		valkey.Myself:         n == p.self,
		valkey.FlagPrimary:    !n.replica && !n.handshake,
		valkey.FlagReplica:    n.replica && !n.handshake,
		valkey.PossiblyFailed: n.suspect,
		valkey.Failed:         n.failed,
		valkey.Handshake:      n.handshake,
		valkey.NoAddr:         n != p.self && !n.addr.IsValid(),
	} {
		if set {
			f |= flag
		}
	}
	return f
}

func (p *process) clusterInfo() string {
	state := "fail"
	if p.ok {
		state = "ok"
	}
	var assigned, suspect, failed slots.Set
	known := 0
	for _, n := range p.nodes {
		if !n.handshake {
			known++
		}
		assigned = assigned.Union(n.slots)
		if n.suspect {
			suspect = suspect.Union(n.slots)
		}
		if n.failed {
			failed = failed.Union(n.slots)
		}
	}
	epoch := p.self.epoch
	if shard := p.shardOf(p.self); shard != nil {
		epoch = shard.epoch
	}
	return lines(
		"cluster_state", state,
		"cluster_slots_assigned", assigned.Count(),
		"cluster_slots_ok", assigned.Minus(suspect).Minus(failed).Count(),
		"cluster_slots_pfail", suspect.Count(),
		"cluster_slots_fail", failed.Count(),
		"cluster_known_nodes", known,
		"cluster_size", p.size(),
		"cluster_current_epoch", p.currentEpoch,
		"cluster_my_epoch", epoch,
	)
}

// info is the answer to INFO, as far as anybody here asks.
func (p *process) info() string {
	text := lines(
		"valkey_version", p.server.version,
		"run_id", p.runID,
		"uptime_in_seconds", int64((p.now()-p.started)/time.Second),
		"loading", flag(p.loading()),
		"rdb_last_bgsave_status", "ok",
		"aof_enabled", 0,
		"used_memory", 1<<20,
	) + p.replicationInfo()
	if len(p.stream.keys) > 0 && !p.loading() {
		text += lines("db0", fmt.Sprintf("keys=%d,expires=0,avg_ttl=0", len(p.stream.keys)))
	}
	return text
}

func (p *process) replicationInfo() string {
	s := &p.stream
	second := s.olderEnd
	if second >= 0 {
		second++
	}
	common := lines(
		"master_replid", s.history, "master_replid2", s.older, "master_repl_offset", s.offset, "second_repl_offset", second)
	if p.self.replica {
		return lines("role", "slave") + p.linkInfo() + common
	}
	text := lines("role", "master")
	for i, r := range p.attached() {
		text += lines(fmt.Sprintf("slave%d", i), fmt.Sprintf("ip=%s,port=%d,state=online,offset=%d,lag=0,type=replica",
			r.server.ip, clientPort, r.stream.offset))
	}
	return text + common
}

func (p *process) linkInfo() string {
	l := &p.link
	status := "down"
	if l.state == linked {
		status = "up"
	}
	text := lines(
		"master_host", l.source.Addr(), "master_port", l.source.Port(), "master_link_status", status,
		"master_sync_in_progress", flag(l.state == syncing), "slave_repl_offset", p.linkOffset(),
		"master_last_io_seconds_ago", int64(l.age(p.now())/time.Second))
	if l.state != linked {
		down := int64(-1)
		if l.down != 0 {
			down = int64((p.now() - l.down) / time.Second)
		}
		text += lines("master_link_down_since_seconds", down)
	}
	return text
}

// linkOffset is the replica's place in its primary's stream. One that has none
// says 1 (facts 2).
func (p *process) linkOffset() int64 {
	if p.link.lost {
		return valkey.NoOffset
	}
	return p.stream.offset
}

func flag(set bool) int {
	if set {
		return 1
	}
	return 0
}

// lines prints names and values as INFO does.
func lines(fields ...any) string {
	var b strings.Builder
	for i := 0; i < len(fields); i += 2 {
		fmt.Fprintf(&b, "%v:%v\r\n", fields[i], fields[i+1])
	}
	return b.String()
}
