package valkey

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

// ErrOtherKeys means that a server has keys outside of the slots that it should
// be the primary of.
var ErrOtherKeys = errors.New("it has keys of other slots")

// Reclaim makes a replica whose primary does not exist the primary of slots that
// nobody owns in its view, with the keys that it has and without a vote. All of
// it happens at once. Being that already is success; [ErrNotReplica] if it is
// another primary, and [ErrOtherKeys] if not every key is in these slots: it
// would not be served.
func Reclaim(ctx context.Context, c Conn, set slots.Set) error {
	self, err := selfOf(ctx, c)
	switch {
	case err != nil:
		return err
	case self.Role() == Primary && set.Minus(self.Slots).IsEmpty():
		return nil
	case self.Role() == Primary:
		return ErrNotReplica
	}
	if err := keysWithin(ctx, c, set); err != nil {
		return err
	}
	return takeSlots(ctx, c, set)
}

func takeSlots(ctx context.Context, c Conn, set slots.Set) error {
	// From 9.0 on it has the slots of its keys by taking over, and to add one of
	// them again is an error; hence one by one.
	cmds := []Command{Cmd("MULTI"), Cmd("CLUSTER", "FAILOVER", "TAKEOVER")}
	for slot := range set.Slots() {
		cmds = append(cmds, Cmd("CLUSTER", "ADDSLOTSRANGE", slotText(slot), slotText(slot)))
	}
	replies := c.Do(ctx, append(cmds, Cmd("EXEC"))...)
	results, err := replies[len(replies)-1].List()
	if err != nil {
		return err
	}
	if len(results) == 0 {
		return fmt.Errorf("%w: EXEC without results", ErrProtocol)
	}
	if err := results[0].Err(); err != nil {
		return err
	}
	self, err := selfOf(ctx, c)
	if err != nil {
		return err
	}
	if missing := set.Minus(self.Slots); !missing.IsEmpty() {
		return fmt.Errorf("slots %v: %w", missing, ErrBusySlot)
	}
	return nil
}

func keysWithin(ctx context.Context, c Conn, set slots.Set) error {
	cmds := []Command{Cmd("DBSIZE")}
	for slot := range set.Slots() {
		cmds = append(cmds, Cmd("CLUSTER", "COUNTKEYSINSLOT", slotText(slot)))
	}
	var counts []int64
	for _, reply := range c.Do(ctx, cmds...) {
		count, err := reply.Int()
		if err != nil {
			return err
		}
		counts = append(counts, count)
	}
	within := int64(0)
	for _, count := range counts[1:] {
		within += count
	}
	if within != counts[0] {
		return fmt.Errorf("%w: %d of %d", ErrOtherKeys, counts[0]-within, counts[0])
	}
	return nil
}

func slotText(s slots.Slot) string { return strconv.Itoa(int(s)) }
