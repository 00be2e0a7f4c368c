package valkey

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
)

// MyID asks a server for its own node ID.
func MyID(ctx context.Context, c Conn) (NodeID, error) {
	text, err := do(ctx, c, Cmd("CLUSTER", "MYID")).Text()
	if err != nil {
		return "", err
	}
	id := NodeID(text)
	if !id.Valid() {
		return "", fmt.Errorf("%w: CLUSTER MYID %q", ErrProtocol, text)
	}
	return id, nil
}

// Meet tells a server to make contact with addr on its client and bus port.
// Success means it will try, not that anybody answered. Repeating it is
// harmless; meeting a node of another cluster merges the two, so the caller
// has checked [MyID] there.
func Meet(ctx context.Context, c Conn, addr netip.AddrPort, busPort uint16) error {
	return run(ctx, c, "CLUSTER", "MEET", addr.Addr().String(),
		strconv.Itoa(int(addr.Port())), strconv.Itoa(int(busPort)))
}

// Forget removes a node from a server's view and, by gossip, from everybody's.
// Not knowing it is success. [ErrOwnPrimary] if the server replicates it.
func Forget(ctx context.Context, c Conn, id NodeID) error {
	err := run(ctx, c, "CLUSTER", "FORGET", string(id))
	if errors.Is(err, ErrUnknownNode) {
		return nil
	}
	return err
}

// SetConfigEpoch gives a server that knows no other node its first config
// epoch. Having that epoch already is success; [ErrNotAlone] if it knows
// others, [ErrEpochSet] if it has another epoch.
func SetConfigEpoch(ctx context.Context, c Conn, epoch uint64) error {
	want := strconv.FormatUint(epoch, 10)
	refused := run(ctx, c, "CLUSTER", "SET-CONFIG-EPOCH", want)
	if !errors.Is(refused, ErrNotAlone) && !errors.Is(refused, ErrEpochSet) {
		return refused
	}
	info, err := parseText(do(ctx, c, Cmd("CLUSTER", "INFO")), ParseClusterInfo)
	if err != nil {
		return err
	}
	if info.MyEpoch == epoch {
		return nil
	}
	return refused
}

// BumpEpoch gives a server a config epoch above all that it has heard of,
// without a vote. Having the highest already is success.
func BumpEpoch(ctx context.Context, c Conn) error { return run(ctx, c, "CLUSTER", "BUMPEPOCH") }

// ResetMode is how much of its identity a node loses.
type ResetMode string

const (
	// ResetSoft forgets nodes and slots; the node ID stays.
	ResetSoft ResetMode = "SOFT"
	// ResetHard also takes a new node ID and epoch 0.
	ResetHard ResetMode = "HARD"
)

// Reset makes a node forget the cluster. A replica also drops its data; a
// primary that holds keys refuses with [ErrNotEmpty].
func Reset(ctx context.Context, c Conn, mode ResetMode) error {
	return run(ctx, c, "CLUSTER", "RESET", string(mode))
}
