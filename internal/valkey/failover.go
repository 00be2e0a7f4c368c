package valkey

import "context"

// Replicate makes the server asked a replica of the primary id. Being that
// already is success. [ErrUnknownNode] until gossip has told it of id, so try
// again; [ErrNotPrimary] if id is a replica; [ErrNotEmpty] if the server has
// slots or keys of its own.
func Replicate(ctx context.Context, c Conn, id NodeID) error {
	return run(ctx, c, "CLUSTER", "REPLICATE", string(id))
}

// FailoverMode is how a replica becomes primary.
type FailoverMode string

const (
	// FailoverSafe waits for the primary to stop writes and for the last of
	// them; nothing is lost. [ErrPrimaryFailed] if the primary is failed.
	FailoverSafe FailoverMode = ""
	// FailoverForce does not talk to the primary but needs the votes of a
	// majority. It never compares data: the caller has chosen the replica.
	FailoverForce FailoverMode = "FORCE"
	// FailoverTakeover needs nobody's vote.
	FailoverTakeover FailoverMode = "TAKEOVER"
)

// Failover asks a replica to become primary of its shard. Success means that
// it accepted, not that it won: its role tells. Being a primary already is
// [ErrNotReplica], which the caller judges, for it may be a primary of nothing.
func Failover(ctx context.Context, c Conn, mode FailoverMode) error {
	args := []string{"CLUSTER", "FAILOVER"}
	if mode != FailoverSafe {
		args = append(args, string(mode))
	}
	return run(ctx, c, args...)
}
