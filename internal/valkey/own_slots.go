package valkey

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

// AddSlots makes the server asked the owner of slots that nobody owns in its
// view. Slots it owns already are left alone; [ErrBusySlot] if another node
// owns one, and then none is added.
func AddSlots(ctx context.Context, c Conn, set slots.Set) error {
	if set.IsEmpty() {
		return nil
	}
	busy := addSlots(ctx, c, set)
	if !errors.Is(busy, ErrBusySlot) {
		return busy
	}
	self, err := selfOf(ctx, c)
	if err != nil {
		return err
	}
	switch missing := set.Minus(self.Slots); {
	case missing.IsEmpty():
		return nil
	case missing.Equal(set):
		return busy
	default:
		return addSlots(ctx, c, missing)
	}
}

func addSlots(ctx context.Context, c Conn, set slots.Set) error {
	return run(ctx, c, append([]string{"CLUSTER", "ADDSLOTSRANGE"}, rangeArgs(set)...)...)
}

// DelSlots makes the server asked forget who owns slots, in its own view only.
// Slots without an owner are left alone.
func DelSlots(ctx context.Context, c Conn, set slots.Set) error {
	nodes, err := parseText(do(ctx, c, Cmd("CLUSTER", "NODES")), ParseNodes)
	if err != nil {
		return err
	}
	var owned slots.Set
	for _, n := range nodes {
		owned = owned.Union(n.Slots)
	}
	if set = set.Intersect(owned); set.IsEmpty() {
		return nil
	}
	return run(ctx, c, append([]string{"CLUSTER", "DELSLOTSRANGE"}, rangeArgs(set)...)...)
}

func selfOf(ctx context.Context, c Conn) (Node, error) {
	nodes, err := parseText(do(ctx, c, Cmd("CLUSTER", "NODES")), ParseNodes)
	if err != nil {
		return Node{}, err
	}
	self, _ := nodes.Self()
	return self, nil
}

// rangeArgs is first and last of each range.
func rangeArgs(set slots.Set) []string {
	var args []string
	for _, r := range set.Ranges() {
		args = append(args, strconv.Itoa(int(r.First)), strconv.Itoa(int(r.Last)))
	}
	return args
}

// isServerMessage is for refusals that matter to one command only.
func isServerMessage(err error, words string) bool {
	var server *ServerError
	return errors.As(err, &server) && strings.Contains(server.Message, words)
}
