package topology

import (
	"time"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

// Name is the name of a ValkeyNode. It stays the same for the whole life of a
// member; its pod, address and node ID may change.
type Name string

// Desired is the cluster that is wanted.
type Desired struct {
	// Shards is how many shards share the 16384 slots.
	Shards int
	// Members are the nodes that are wanted, by shard and then by index.
	Members []Wanted
	// NodeTimeout is the cluster-node-timeout that every server shall have.
	NodeTimeout time.Duration
	// Inputs is the hash of the user's inputs that pods are rendered from: a
	// pod with another one is outdated.
	Inputs string
	// Vouched is true when a human says that every primary that does not answer
	// is dead (N11).
	Vouched bool
	// Accepted are the slots whose keys a human has given up (N10).
	Accepted slots.Set
}

// Wanted is one node of the wanted cluster.
type Wanted struct {
	Name Name
	// Shard is the index of the shard that the node belongs to, from 0.
	Shard int
	// Index is the node's index in its shard. It says nothing about roles.
	Index int
}
