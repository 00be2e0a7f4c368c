package valkey

import (
	"context"
	"fmt"
	"time"
)

// Observation is what one server says of itself and of the cluster, all asked
// in one batch.
type Observation struct {
	Server      ServerInfo
	Replication Replication
	Persistence Persistence // Loading is set here while the data set is read
	Memory      Memory
	Keys        int64
	Nodes       Nodes // never without the server's own line
	Cluster     ClusterInfo
	NodeTimeout time.Duration // cluster-node-timeout
}

// ID is the server's own node ID.
func (o Observation) ID() NodeID { return o.Self().ID }

// Self is the server's own line of CLUSTER NODES.
func (o Observation) Self() Node {
	self, _ := o.Nodes.Self()
	return self
}

// observeBatch is answered by every version, also while loading and by a
// replica that lost its primary.
var observeBatch = []Command{
	Cmd("CLUSTER", "NODES"),
	Cmd("CLUSTER", "INFO"),
	Cmd("INFO", "server", "replication", "persistence", "memory", "keyspace"),
	Cmd("CONFIG", "GET", nodeTimeout),
}

const nodeTimeout = "cluster-node-timeout"

// Observe asks a server of a cluster everything about its state, as
// [Observer.Observe] does.
func Observe(ctx context.Context, c Conn) (Observation, error) { return (&Observer{}).Observe(ctx, c) }

// Observe asks a server of a cluster everything about its state. Either all
// of it is known or the error says why not: nothing is partly filled in.
func (ob *Observer) Observe(ctx context.Context, c Conn) (Observation, error) {
	replies := c.Do(ctx, observeBatch...)
	if len(replies) != len(observeBatch) {
		return Observation{}, fmt.Errorf("%w: %d replies to %d commands", ErrProtocol, len(replies), len(observeBatch))
	}
	return ob.parse(replies[0], replies[1], replies[2], replies[3])
}

// ParseObservation reads the answers to CLUSTER NODES, CLUSTER INFO, INFO and
// CONFIG GET cluster-node-timeout.
func ParseObservation(nodes, cluster, info, config Reply) (Observation, error) {
	return (&Observer{}).parse(nodes, cluster, info, config)
}

func (ob *Observer) parse(nodes, cluster, info, config Reply) (o Observation, err error) {
	if o.Nodes, err = parseText(nodes, ob.parseNodes); err != nil {
		return Observation{}, err
	}
	if _, ok := o.Nodes.Self(); !ok {
		return Observation{}, fmt.Errorf("%w: CLUSTER NODES without the server itself", ErrProtocol)
	}
	if o.Cluster, err = parseText(cluster, ParseClusterInfo); err != nil {
		return Observation{}, err
	}
	if o.NodeTimeout, err = parseNodeTimeout(config); err != nil {
		return Observation{}, err
	}
	text, err := info.Text()
	if err != nil {
		return Observation{}, err
	}
	if err := o.readInfo(ParseInfo(text)); err != nil {
		return Observation{}, err
	}
	return o, nil
}

func (o *Observation) readInfo(info Info) (err error) {
	if o.Server, err = info.Server(); err != nil {
		return err
	}
	if o.Replication, err = info.Replication(); err != nil {
		return err
	}
	if o.Persistence, err = info.Persistence(); err != nil {
		return err
	}
	if o.Memory, err = info.Memory(); err != nil {
		return err
	}
	o.Keys, err = info.Keys()
	return err
}

func parseText[T any](r Reply, parse func(string) (T, error)) (T, error) {
	text, err := r.Text()
	if err != nil {
		var zero T
		return zero, err
	}
	return parse(text)
}

func parseNodeTimeout(r Reply) (time.Duration, error) {
	values, err := ParseConfig(r)
	if err != nil {
		return 0, err
	}
	if _, ok := values[nodeTimeout]; !ok {
		return 0, fmt.Errorf("%w: CONFIG GET without %s", ErrProtocol, nodeTimeout)
	}
	f := fieldReader{fields: values}
	return time.Duration(f.int(nodeTimeout)) * time.Millisecond, f.err
}
