package topology

import "github.com/valkey-operator/valkey-operator/internal/slots"

// Health is how well a cluster does, judged by what was observed alone and not
// by whether the planner has anything left to do.
type Health struct {
	// Shards has an entry for each wanted shard, in order.
	Shards []ShardHealth
	// Unserved are the slots that no answering primary serves.
	Unserved slots.Set
	// Joined is true when every wanted server knows every other at its address
	// and what it owns, and no majority holds one of them for failed.
	Joined bool
}

// ShardHealth is how well one shard does.
type ShardHealth struct {
	Index int
	// Primary is the one member that owns the shard's slots, empty when there
	// is none or more than one.
	Primary Name
	// Serving is true when the primary's cluster state is ok.
	Serving bool
	// Replicas are the other wanted members; all of them when there is no
	// primary.
	Replicas []ReplicaHealth
	// Slots that the primary owns.
	Slots slots.Set
}

// ReplicaHealth is how well one member that is no primary does.
type ReplicaHealth struct {
	Name Name
	// InSync is true when it has all of the shard's primary's data.
	InSync bool
}

// Whole reports whether the shard serves slots and all its replicas are in
// sync.
func (s ShardHealth) Whole() bool {
	if s.Primary == "" || !s.Serving || s.Slots.IsEmpty() {
		return false
	}
	for _, r := range s.Replicas {
		if !r.InSync {
			return false
		}
	}
	return true
}

// Whole reports whether all slots are served with full redundancy.
func (h Health) Whole() bool {
	for _, s := range h.Shards {
		if !s.Whole() {
			return false
		}
	}
	return h.Unserved.IsEmpty() && h.Joined
}

// Examine judges what was seen of a cluster.
func Examine(want Desired, seen Observed) Health {
	w := newWorld(want, seen)
	h := Health{Joined: w.joined() && w.agreed()}
	var served []slots.Range
	for _, s := range w.shards {
		sh := examineShard(w, s)
		if sh.Serving {
			served = append(served, sh.Slots.Ranges()...)
		}
		h.Shards = append(h.Shards, sh)
	}
	h.Unserved = slots.All().Minus(slots.Of(served...))
	return h
}

func examineShard(w *world, s shard) ShardHealth {
	sh := ShardHealth{Index: s.index}
	primary := s.primary()
	if primary != nil {
		sh.Primary, sh.Serving, sh.Slots = primary.Name, primary.Server.Serving, primary.Server.Slots
	}
	for _, name := range s.wanted {
		if name == sh.Primary {
			continue
		}
		m := w.byName[name]
		sh.Replicas = append(sh.Replicas, ReplicaHealth{name, m != nil && primary != nil && m.inSyncWith(primary)})
	}
	return sh
}

func (w *world) joined() bool {
	if len(w.missing()) > 0 {
		return false
	}
	for _, v := range w.views {
		for _, n := range w.want.Members {
			m := w.byName[n.Name]
			peer, known := v.Peer(m.Server.ID)
			if !known || peer.Failed || m.Pod == nil || peer.Addr != m.Pod.Addr {
				return false
			}
		}
	}
	return true
}

// agreed reports whether everybody knows what every server owns.
func (w *world) agreed() bool {
	for _, v := range w.views {
		if w.misjudged(v) != nil {
			return false
		}
	}
	return true
}

// misjudged returns a server that is known to v, but not with the slots that it
// says to own, or nil.
func (w *world) misjudged(v *View) *member {
	for _, s := range w.shards {
		for _, m := range s.owners() {
			if peer, known := v.Peer(m.Server.ID); known && !peer.Slots.Equal(m.Server.Slots) {
				return m
			}
		}
	}
	return nil
}
