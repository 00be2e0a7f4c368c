package podtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/valkey-operator/valkey-operator/internal/slots"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// Servers are what the servers of a cluster say of themselves, by ValkeyNode,
// and the errors of those that do not answer.
type Servers struct {
	Seen   map[string]valkey.Observation
	Silent map[string]error
}

// askLimit is how long one server may take to answer.
const askLimit = 2 * time.Second

// Ask asks all servers of a cluster at the same time.
func (n Namespace) Ask(ctx context.Context, cluster string) (Servers, error) {
	pods, err := n.Pods(ctx, cluster)
	if err != nil {
		return Servers{}, err
	}
	login, err := n.credentials(ctx, cluster)
	if err != nil {
		return Servers{}, err
	}
	return ask(ctx, pods, login), nil
}

func ask(ctx context.Context, pods map[string]corev1.Pod, login valkey.Credentials) Servers {
	servers := Servers{map[string]valkey.Observation{}, map[string]error{}}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for name, pod := range pods {
		wg.Go(func() {
			o, err := askOne(ctx, pod, login)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				servers.Silent[name] = err
			} else {
				servers.Seen[name] = o
			}
		})
	}
	wg.Wait()
	return servers
}

func askOne(ctx context.Context, pod corev1.Pod, login valkey.Credentials) (valkey.Observation, error) {
	addr, found := address(pod)
	if !found {
		return valkey.Observation{}, errors.New("its pod has no address")
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	conn, err := valkey.TCP{Name: "podtest"}.Dial(ctx, valkey.Target{Addr: addr, Credentials: login})
	if err != nil {
		return valkey.Observation{}, err
	}
	defer conn.Close()
	return valkey.Observe(ctx, conn)
}

// Served returns nil if every slot has a primary that serves it by its own word.
func (s Servers) Served() error {
	var served slots.Set
	for _, o := range s.Seen {
		served = served.Union(serves(o))
	}
	if missing := slots.All().Minus(served); !missing.IsEmpty() {
		return fmt.Errorf("slots %v are not served", missing)
	}
	return nil
}

// serves returns the slots that a server takes writes to.
func serves(o valkey.Observation) slots.Set {
	if o.Replication.Role != valkey.Primary || !o.Cluster.OK {
		return slots.Set{}
	}
	return o.Self().Slots
}

// Contested returns nil if no two servers serve the same slot.
func (s Servers) Contested() error {
	for a, seenA := range s.Seen {
		for b, seenB := range s.Seen {
			if both := serves(seenA).Intersect(serves(seenB)); a < b && !both.IsEmpty() {
				return fmt.Errorf("slots %v are served by %s and by %s", both, a, b)
			}
		}
	}
	return nil
}

// Whole returns nil if every server answers, all slots are served, every
// replica is in sync, and all servers know exactly each other.
func (s Servers) Whole(shards, replicas int) error {
	for name, err := range s.Silent {
		return fmt.Errorf("%s does not answer: %w", name, err)
	}
	wanted := shards * (1 + replicas)
	if len(s.Seen) != wanted {
		return fmt.Errorf("there are %d servers, want %d", len(s.Seen), wanted)
	}
	primaries := 0
	for name, o := range s.Seen {
		if err := content(o, wanted); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if o.Replication.Role == valkey.Primary {
			primaries++
		}
	}
	if primaries != shards {
		return fmt.Errorf("there are %d primaries, want %d", primaries, shards)
	}
	return errors.Join(s.Served(), s.Contested())
}

// members counts whom a server knows. Not those in handshake: of two that are
// introduced to each other from both sides one has met the other already, and
// drops its own attempt a moment later.
func members(o valkey.Observation) int {
	n := 0
	for _, node := range o.Nodes {
		if node.IsMember() {
			n++
		}
	}
	return n
}

// content returns nil if nothing is wrong with a server by its own word.
func content(o valkey.Observation, servers int) error {
	switch c, source := o.Cluster, o.Replication.Source; {
	case !c.OK || c.SlotsAssigned != slots.Total || c.SlotsOK != slots.Total:
		return fmt.Errorf("its cluster is not ok, or slots are missing: %+v", c)
	case members(o) != servers:
		return fmt.Errorf("it knows %d servers, want %d:\n%v", members(o), servers, o.Nodes)
	case o.Replication.Role == valkey.Replica && (!source.Up || source.Syncing):
		return errors.New("it is not in sync")
	}
	return nil
}

// Primary returns the ValkeyNode whose server is the primary of a shard, by the
// word of the servers.
func (s Servers) Primary(inShard func(node string) bool) (string, error) {
	for name, o := range s.Seen {
		if inShard(name) && o.Replication.Role == valkey.Primary && !o.Self().Slots.IsEmpty() {
			return name, nil
		}
	}
	return "", errors.New("no server says that it is the primary of the shard")
}
