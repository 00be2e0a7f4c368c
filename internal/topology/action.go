package topology

import (
	"net/netip"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

// Action is one thing to do. Every action is idempotent: it may be repeated
// after a crash, and it ends well when it turns out to be done already.
type Action interface {
	// Explain says why, in the words that log, event and condition share.
	Explain() Why
	// On is the member whose server, pod or object is acted upon.
	On() Name
}

// Explain returns w itself; actions embed it.
func (w Why) Explain() Why { return w }

// Target is the member that an action is about, and the node ID that its
// server had when the decision was made (N8): the executor must not act on any
// other server.
type Target struct {
	Name Name
	ID   NodeID
}

// On is the name of the member.
func (t Target) On() Name { return t.Name }

type (
	// Create makes a ValkeyNode that is wanted and not there.
	Create struct {
		Why
		Target
	}
	// SetEpoch gives a server that knows no other its configuration epoch. One
	// that got to know another meanwhile, or has an epoch, keeps what it has.
	SetEpoch struct {
		Why
		Target
		Epoch uint64
	}
	// Raise gives a primary a configuration epoch above all others, without
	// anybody's vote.
	Raise struct {
		Why
		Target
	}
	// Claim gives slots without an owner to a primary.
	Claim struct {
		Why
		Target
		Slots slots.Set
	}
	// SetNodeTimeout sets cluster-node-timeout.
	SetNodeTimeout struct {
		Why
		Target
		Timeout time.Duration
	}
	// Meet introduces the server to another one. The executor makes sure that
	// the server at Addr has the ID Peer.
	Meet struct {
		Why
		Target
		Peer NodeID
		// PeerName is the member that Peer is the server of.
		PeerName Name
		Addr     netip.AddrPort
	}
	// Replicate makes the server a replica of Primary.
	Replicate struct {
		Why
		Target
		Primary NodeID
	}
	// HandOver makes an in-sync replica the primary of its shard while the old
	// primary is alive and waits for it.
	HandOver struct {
		Why
		Target
	}
	// FailOver makes a replica the primary of its shard by the vote of the other
	// primaries, without asking the old one, which is proven to be dead. Nobody
	// but the planner has compared data.
	FailOver struct {
		Why
		Target
	}
	// TakeOver makes a replica the primary of its shard without anybody's vote.
	// The old primary is fenced, and too few others are left to vote.
	TakeOver struct {
		Why
		Target
	}
	// Reclaim makes a server that has lost its identity the primary of slots
	// whose owner it was before, without anybody's vote. The executor makes sure
	// that all its keys are in these slots.
	Reclaim struct {
		Why
		Target
		Slots slots.Set
	}
	// Forget makes the server forget a member that is gone for good.
	Forget struct {
		Why
		Target
		Gone NodeID
	}
	// Roll writes the wanted pod template, which lets the node controller
	// replace the pod as long as Guard still matches.
	Roll struct {
		Why
		Target
		Guard Guard
	}
	// Release lets a ValkeyNode that is being deleted go.
	Release struct {
		Why
		Target
	}
)
