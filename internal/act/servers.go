package act

import (
	"context"
	"errors"
	"fmt"

	"github.com/valkey-operator/valkey-operator/internal/topology"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// Servers carries out the actions that are commands to servers. Every one goes
// to the server that the plan meant or to none: the node ID is asked first on
// the same connection (N8).
type Servers struct {
	Dialer  valkey.Dialer
	Targets map[topology.Name]valkey.Target
}

// ErrOtherServer means that another server answered than the one that the plan
// was made for. Nothing was done; the next plan will know better.
var ErrOtherServer = errors.New("another server answers there")

// Do carries out one action. It returns false when the action is not one of a
// server.
func (s Servers) Do(ctx context.Context, action topology.Action) (handled bool, err error) {
	switch a := action.(type) {
	case topology.SetEpoch:
		return true, s.on(ctx, a.Target, func(c valkey.Conn) error { return setEpoch(ctx, c, a.Epoch) })
	case topology.Raise:
		return true, s.on(ctx, a.Target, func(c valkey.Conn) error { return valkey.BumpEpoch(ctx, c) })
	case topology.Claim:
		return true, s.on(ctx, a.Target, func(c valkey.Conn) error { return valkey.AddSlots(ctx, c, a.Slots) })
	case topology.SetNodeTimeout:
		return true, s.on(ctx, a.Target, func(c valkey.Conn) error {
			return valkey.ConfigSet(ctx, c, map[string]string{"cluster-node-timeout": fmt.Sprint(a.Timeout.Milliseconds())})
		})
	case topology.Meet:
		return true, s.meet(ctx, a)
	case topology.Replicate:
		return true, s.on(ctx, a.Target, func(c valkey.Conn) error {
			return valkey.Replicate(ctx, c, valkey.NodeID(a.Primary))
		})
	case topology.HandOver:
		return true, s.on(ctx, a.Target, func(c valkey.Conn) error { return becomePrimary(ctx, c, valkey.FailoverSafe) })
	case topology.FailOver:
		return true, s.on(ctx, a.Target, func(c valkey.Conn) error { return becomePrimary(ctx, c, valkey.FailoverForce) })
	case topology.TakeOver:
		return true, s.on(ctx, a.Target, func(c valkey.Conn) error { return becomePrimary(ctx, c, valkey.FailoverTakeover) })
	case topology.Reclaim:
		return true, s.on(ctx, a.Target, func(c valkey.Conn) error { return valkey.Reclaim(ctx, c, a.Slots) })
	case topology.Forget:
		return true, s.on(ctx, a.Target, func(c valkey.Conn) error {
			return valkey.Forget(ctx, c, valkey.NodeID(a.Gone))
		})
	}
	return false, nil
}

// on runs do on a connection to the server that target names.
func (s Servers) on(ctx context.Context, target topology.Target, do func(valkey.Conn) error) error {
	at, known := s.Targets[target.Name]
	if !known {
		return fmt.Errorf("%s: no address", target.Name)
	}
	conn, err := s.Dialer.Dial(ctx, at)
	if err != nil {
		return fmt.Errorf("%s: %w", target.Name, err)
	}
	defer conn.Close()
	if err := is(ctx, conn, target.ID); err != nil {
		return fmt.Errorf("%s: %w", target.Name, err)
	}
	if err := do(conn); err != nil {
		return fmt.Errorf("%s: %w", target.Name, err)
	}
	return nil
}

func is(ctx context.Context, conn valkey.Conn, want topology.NodeID) error {
	id, err := valkey.MyID(ctx, conn)
	if err != nil {
		return err
	}
	if topology.NodeID(id) != want {
		return fmt.Errorf("%w: %s instead of %s", ErrOtherServer, id, want)
	}
	return nil
}

// setEpoch does nothing when somebody was faster: a greeting, or another
// operator. Servers settle equal epochs between them.
func setEpoch(ctx context.Context, c valkey.Conn, epoch uint64) error {
	err := valkey.SetConfigEpoch(ctx, c, epoch)
	if errors.Is(err, valkey.ErrNotAlone) || errors.Is(err, valkey.ErrEpochSet) {
		return nil
	}
	return err
}

// meet makes sure whose address it is before anybody is sent there: meeting a
// server of another cluster would merge the two.
func (s Servers) meet(ctx context.Context, a topology.Meet) error {
	peer := topology.Target{Name: a.PeerName, ID: a.Peer}
	if err := s.on(ctx, peer, func(valkey.Conn) error { return nil }); err != nil {
		return err
	}
	return s.on(ctx, a.Target, func(c valkey.Conn) error {
		return valkey.Meet(ctx, c, a.Addr, busPort(a.Addr.Port()))
	})
}

// busPort is the port of the cluster bus, which the operator never configures.
func busPort(client uint16) uint16 { return client + 10000 }

// becomePrimary asks a replica to take its shard over. That it is a primary
// already is what was wanted.
func becomePrimary(ctx context.Context, c valkey.Conn, mode valkey.FailoverMode) error {
	err := valkey.Failover(ctx, c, mode)
	if errors.Is(err, valkey.ErrNotReplica) {
		return nil
	}
	return err
}
