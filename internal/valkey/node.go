package valkey

import (
	"net/netip"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

// NodeID names a cluster node for as long as it keeps its nodes.conf: 40
// hexadecimal digits.
type NodeID string

// Valid reports whether id has the form of a node ID.
func (id NodeID) Valid() bool {
	if len(id) != 40 {
		return false
	}
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Role is what a server is within its shard. The zero value is unknown.
type Role string

const (
	// Primary serves slots; servers print "master".
	Primary Role = "primary"
	// Replica copies a primary; servers print "slave".
	Replica Role = "replica"
)

// parseRole reads the word a server prints.
func parseRole(word string) Role {
	switch word {
	case "master", "primary":
		return Primary
	case "slave", "replica":
		return Replica
	}
	return ""
}

// Node is one line of CLUSTER NODES: what the server asked says about itself
// or about another. When it last sent a ping or got a pong is left out: that
// proves nothing, and without it the lines of servers that agree are the same.
type Node struct {
	ID NodeID
	// Addr is where the node serves clients. Its IP is not valid when the
	// server does not know it: of itself before it was met, of another after it
	// lost the address (flag [NoAddr], port 0).
	Addr     netip.AddrPort
	BusPort  uint16
	Hostname string // announced host name, if any
	Flags    Flags
	Primary  NodeID // whom it replicates; "" for a primary

	ConfigEpoch uint64
	LinkUp      bool // the asked server's bus link to it works
	Slots       slots.Set
	// Open slots of the 8.x way of moving them; on a server's own line only.
	Migrating, Importing []OpenSlot
}

// OpenSlot is a slot on its way to or from Peer.
type OpenSlot struct {
	Slot slots.Slot
	Peer NodeID
}

// Role is the node's role by its flags.
func (n Node) Role() Role {
	switch {
	case n.Flags.Has(FlagPrimary):
		return Primary
	case n.Flags.Has(FlagReplica):
		return Replica
	}
	return ""
}

// IsMember reports whether the node's identity is known: a node in handshake
// has a random ID and may never become one.
func (n Node) IsMember() bool { return !n.Flags.Has(Handshake) }

// Nodes is the answer to CLUSTER NODES, in the order of the server. Answers
// that were read together share what is equal in them, so nobody changes a Node.
type Nodes []*Node

// Self is the server that was asked.
func (ns Nodes) Self() (Node, bool) {
	for _, n := range ns {
		if n.Flags.Has(Myself) {
			return *n, true
		}
	}
	return Node{}, false
}

// Find is the node of that ID.
func (ns Nodes) Find(id NodeID) (Node, bool) {
	for _, n := range ns {
		if n.ID == id {
			return *n, true
		}
	}
	return Node{}, false
}
