package valkey

import (
	"context"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// Replication is INFO's section "replication".
type Replication struct {
	Role Role
	// Source is the link to the primary; zero on a primary.
	Source SourceLink
	// Offset of the server's own stream: what a primary has written, or what a
	// replica has of its primary's. On a replica 0 means that it has nothing:
	// it never synced, or (its link was up) with a primary that never wrote.
	Offset int64
	// ReplID names the history that Offset counts in. ReplID2 is the one
	// before the last promotion, shared up to SecondOffset (-1: none).
	ReplID, ReplID2 string
	SecondOffset    int64
	// Replicas attached to this server, in the server's order.
	Replicas []ReplicaLink
}

// SourceLink is how a replica is connected to its primary.
type SourceLink struct {
	Addr    netip.AddrPort // IP not valid if the server was given a name
	Up      bool           // connected and past the initial sync
	Syncing bool           // a full sync is running
	Offset  int64          // processed of the primary's stream; NoOffset while it has none
	LastIO  time.Duration  // since the primary was last heard; negative: never
	Down    time.Duration  // since the link went down; 0 while up, negative: none was up in this process
}

// NoOffset is the offset of a replica that waits for its first synchronisation,
// or for a full one since it cannot go on where it was. No stream has it, for
// the shortest command is longer.
const NoOffset = 1

// HoldsData reports whether the replica has what its primary had at some time,
// be it nothing: it has a place in the primary's stream, and a link was up if
// that is the stream's beginning.
func (l SourceLink) HoldsData() bool {
	return l.Offset > NoOffset || l.Offset == 0 && l.Down >= 0
}

// ReplicaLink is an attached replica as its primary sees it.
type ReplicaLink struct {
	Addr   netip.AddrPort
	State  string        // "online" once synced; before that e.g. "wait_bgsave", "send_bulk"
	Offset int64         // acknowledged
	Lag    time.Duration // since the last acknowledgement, whole seconds
}

// Online is the state of a replica that receives the stream.
const Online = "online"

// Replication reads the section "replication". A missing role is an error.
func (i Info) Replication() (Replication, error) {
	role := parseRole(i["role"])
	if role == "" {
		return Replication{}, fmt.Errorf("%w: INFO with role %q", ErrProtocol, i["role"])
	}
	f := fieldReader{fields: i}
	r := Replication{
		Role:         role,
		Offset:       f.int("master_repl_offset"),
		ReplID:       i["master_replid"],
		ReplID2:      i["master_replid2"],
		SecondOffset: f.int("second_repl_offset"),
	}
	if role == Replica {
		r.Source = SourceLink{
			Addr:    netip.AddrPortFrom(parseIP(i["master_host"]), f.port("master_port")),
			Up:      i["master_link_status"] == "up",
			Syncing: f.bool("master_sync_in_progress"),
			Offset:  f.int("slave_repl_offset"),
			LastIO:  f.seconds("master_last_io_seconds_ago"),
			Down:    f.seconds("master_link_down_since_seconds"),
		}
	}
	if f.err != nil {
		return Replication{}, f.err
	}
	var err error
	r.Replicas, err = i.replicas()
	return r, err
}

// replicas reads slave0, slave1, … until one is missing.
func (i Info) replicas() ([]ReplicaLink, error) {
	var links []ReplicaLink
	for {
		text, ok := i["slave"+strconv.Itoa(len(links))]
		if !ok {
			return links, nil
		}
		link, err := parseReplicaLink(text)
		if err != nil {
			return nil, err
		}
		links = append(links, link)
	}
}

// parseReplicaLink reads "ip=…,port=…,state=…,offset=…,lag=…,type=…".
func parseReplicaLink(text string) (ReplicaLink, error) {
	fields := Info{}
	for pair := range strings.SplitSeq(text, ",") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			fields[name] = value
		}
	}
	f := fieldReader{fields: fields}
	link := ReplicaLink{
		Addr:   netip.AddrPortFrom(parseIP(fields["ip"]), f.port("port")),
		State:  fields["state"],
		Offset: f.int("offset"),
		Lag:    f.seconds("lag"),
	}
	return link, f.err
}

// ReplicationOf asks a server for its replication state only.
func ReplicationOf(ctx context.Context, c Conn) (Replication, error) {
	text, err := do(ctx, c, Cmd("INFO", "replication")).Text()
	if err != nil {
		return Replication{}, err
	}
	return ParseInfo(text).Replication()
}
