package scenario

import (
	"context"
	"fmt"
	"strconv"

	"github.com/valkey-operator/valkey-operator/internal/slots"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// load is a client that writes growing numbers under a few keys, spread over
// all slots, and remembers what must not be lost.
type load struct {
	next  int
	acked map[string]int // the last number that a primary confirmed
	// kept are the numbers that every server of the shard had at some time. As
	// long as any copy is left, they must not be lost.
	kept map[string]int
}

const loadKeys = 12

func loadKey(i int) string { return fmt.Sprintf("key-%d", i) }

// write writes one more number, wherever its key is served.
func (l *load) write(ctx context.Context, f *Fleet) {
	if l.acked == nil {
		l.acked, l.kept = map[string]int{}, map[string]int{}
	}
	l.next++
	key := loadKey(l.next % loadKeys)
	for _, name := range f.names() {
		n := f.nodes[name]
		if n.pod == nil || !n.server.Running() {
			continue
		}
		if err := f.command(ctx, n, "SET", key, strconv.Itoa(l.next)).Err(); err == nil {
			l.acked[key] = l.next
			return
		}
	}
}

// confirm notes which writes have reached every server of their shard.
func (l *load) confirm(f *Fleet) {
	for key, acked := range l.acked {
		least := acked
		for _, n := range f.shardOf(key) {
			least = min(least, number(n.server.Value(key)))
		}
		l.kept[key] = max(l.kept[key], least)
	}
}

// excuse lowers what must be kept to what is left after a fault: if no running
// server has it any more, then what all disks of the shard agree on.
func (l *load) excuse(f *Fleet) {
	for key, kept := range l.kept {
		running, saved := 0, kept
		for _, n := range f.shardOf(key) {
			running = max(running, number(n.server.Value(key)))
			if n.pod == nil && !f.Volumes {
				saved = 0 // the disk went with the pod
			}
			saved = min(saved, number(n.server.Saved(key)))
		}
		if running < kept {
			l.kept[key] = max(saved, 0)
		}
	}
}

// giveUp forgets what must be kept in these slots.
func (l *load) giveUp(lost slots.Set) {
	for key := range l.kept {
		if lost.Contains(slots.KeySlot(key)) {
			delete(l.kept, key)
			delete(l.acked, key)
		}
	}
}

// shardOf returns the wanted nodes whose shard the key belongs to, by the
// slots that shards are founded with.
func (f *Fleet) shardOf(key string) []*node {
	var nodes []*node
	for i, part := range slots.Partition(f.Want.Shards) {
		if !part.Contains(slots.KeySlot(key)) {
			continue
		}
		for _, w := range f.Want.Members {
			if n := f.nodes[w.Name]; w.Shard == i && n != nil {
				nodes = append(nodes, n)
			}
		}
	}
	return nodes
}

// missing returns the kept writes that a client does not find.
func (l *load) missing(ctx context.Context, f *Fleet) []string {
	var missing []string
	for key, kept := range l.kept {
		if got := l.read(ctx, f, key); got < kept {
			missing = append(missing, fmt.Sprintf("%s is %d, and %d was confirmed by all servers of its shard", key, got, kept))
		}
	}
	return missing
}

func (l *load) read(ctx context.Context, f *Fleet, key string) int {
	for _, name := range f.names() {
		if text, err := f.command(ctx, f.nodes[name], "GET", key).Text(); err == nil {
			return number(text)
		}
	}
	return 0
}

// command sends one command of a client.
func (f *Fleet) command(ctx context.Context, n *node, args ...string) valkey.Reply {
	conn, err := f.ground.Dial(ctx, valkey.Target{Addr: n.server.Addr()})
	if err != nil {
		return valkey.ErrReply(err)
	}
	defer conn.Close()
	return conn.Do(ctx, valkey.Cmd(args...))[0]
}

func number(text string) int {
	n, _ := strconv.Atoi(text) // nothing is 0
	return n
}
