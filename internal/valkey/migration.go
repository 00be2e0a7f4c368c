package valkey

import (
	"context"
	"fmt"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

// Migration is one job of the atomic slot migration of 9.x, as the server
// asked remembers it. The memory is lost with a restart and with a failover:
// who owns the slots is decided by CLUSTER NODES, never by this.
type Migration struct {
	Name      string
	Operation MigrationOperation
	Slots     slots.Set
	// Source and Target; "" where the server does not say (target's replicas).
	Source, Target NodeID
	// State is the server's word for the step, such as "snapshotting".
	State   string
	Message string // why it ended, for people
	Created time.Time
	Updated time.Time
	// Remaining bytes of the stream still to send; 0 where not reported.
	Remaining int64
}

// MigrationOperation is which end of the migration the server asked is.
type MigrationOperation string

const (
	// Export is the source's side.
	Export MigrationOperation = "EXPORT"
	// Import is the target's side.
	Import MigrationOperation = "IMPORT"
)

// Ended reports whether the job is over. A state that a later version adds
// counts as running.
func (m Migration) Ended() bool {
	return m.State == "success" || m.State == "failed" || m.State == "cancelled"
}

// Succeeded reports whether the slots were handed over when the job ended.
func (m Migration) Succeeded() bool { return m.State == "success" }

// MigrationsOf lists the jobs a server remembers, newest first. Before 9.x it
// is [ErrUnknownCommand].
func MigrationsOf(ctx context.Context, c Conn) ([]Migration, error) {
	return ParseMigrations(do(ctx, c, Cmd("CLUSTER", "GETSLOTMIGRATIONS")))
}

// ParseMigrations reads the answer to CLUSTER GETSLOTMIGRATIONS.
func ParseMigrations(r Reply) ([]Migration, error) {
	items, err := r.List()
	if err != nil {
		return nil, err
	}
	var jobs []Migration
	for _, item := range items {
		job, err := parseMigration(item)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, job)
	}
	return jobs, nil
}

func parseMigration(item Reply) (Migration, error) {
	m, err := item.Map()
	if err != nil {
		return Migration{}, err
	}
	fields := Info{}
	for name, value := range m {
		if text, err := value.Text(); err == nil {
			fields[name] = text
		}
	}
	f := fieldReader{fields: fields}
	job := Migration{
		Name:      fields["name"],
		Operation: MigrationOperation(fields["operation"]),
		Source:    NodeID(fields["source_node"]),
		Target:    NodeID(fields["target_node"]),
		State:     fields["state"],
		Message:   fields["message"],
		Created:   time.Unix(f.int("create_time"), 0),
		Updated:   time.Unix(f.int("last_update_time"), 0),
		Remaining: f.int("remaining_repl_size"),
	}
	if f.err != nil {
		return Migration{}, f.err
	}
	if job.Slots, err = slots.Parse(fields["slot_ranges"]); err != nil {
		return Migration{}, fmt.Errorf("%w: CLUSTER GETSLOTMIGRATIONS: %w", ErrProtocol, err)
	}
	return job, nil
}

// Move is one job for [MigrateSlots].
type Move struct {
	Slots  slots.Set
	Target NodeID
}

// MigrateSlots starts moving slots away from the primary asked, all jobs or
// none, and returns at once. The slots stay where they are until each job
// ends, also if it fails. Slots on their way already are [ErrOpenSlot].
func MigrateSlots(ctx context.Context, c Conn, moves ...Move) error {
	args := []string{"CLUSTER", "MIGRATESLOTS"}
	for _, move := range moves {
		args = append(args, "SLOTSRANGE")
		args = append(args, rangeArgs(move.Slots)...)
		args = append(args, "NODE", string(move.Target))
	}
	return run(ctx, c, args...)
}

// CancelMigrations ends every export of the primary asked; with none running
// there is nothing to do.
func CancelMigrations(ctx context.Context, c Conn) error {
	err := run(ctx, c, "CLUSTER", "CANCELSLOTMIGRATIONS")
	if isServerMessage(err, "No migrations ongoing") {
		return nil
	}
	return err
}
