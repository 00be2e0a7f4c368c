package topology

import (
	"cmp"
	"slices"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

// world is the wanted and the observed cluster, indexed for the rules: a
// cluster may have thousands of members, so that no rule compares everybody
// with everybody.
type world struct {
	want    Desired
	strays  []string
	members []*member
	byName  map[Name]*member
	byID    map[NodeID]*member
	shards  []shard

	// views are those of all servers, and votes those of primaries with slots.
	// Servers that agree share one, which is in here once.
	views, votes []*View
	// voters names one primary of each view in votes.
	voters map[*View]Name
	// electorates are the primaries that have a vote, by who counts them.
	electorates map[*View]electorate
	// last are the members by the server that they were seen with last.
	last map[NodeID]*member
	// followers are the servers that name an ID as the one they replicate.
	followers map[NodeID][]*member
	// twins are servers that have the ID of another one.
	twins []twin
	// absent are the wanted nodes whose servers did not answer, existing or not.
	absent []Name
}

// member is a Member and whether it is wanted.
type member struct {
	Member
	wanted bool
	// Twin is the ID that m's server has in common with another one; Server is
	// nil then.
	Twin NodeID
	// given is the epoch that this pass gives it.
	given uint64
}

// shard is the members that were made for one shard, and those that it shall
// have, both in order of index.
type shard struct {
	index   int
	members []*member
	wanted  []Name
}

func newWorld(want Desired, seen Observed) *world {
	w := &world{
		want:      want,
		strays:    seen.StrayClaims,
		byName:    make(map[Name]*member, len(seen.Members)),
		byID:      make(map[NodeID]*member, len(seen.Members)),
		shards:    make([]shard, want.Shards),
		followers: map[NodeID][]*member{},

		voters:      map[*View]Name{},
		electorates: map[*View]electorate{},
		last:        map[NodeID]*member{},
	}
	for _, m := range seen.Members {
		w.members = append(w.members, &member{Member: m})
	}
	slices.SortFunc(w.members, func(a, b *member) int {
		return cmp.Or(cmp.Compare(a.Shard, b.Shard), cmp.Compare(a.Index, b.Index))
	})
	w.separate()
	for _, m := range w.members {
		w.add(m)
	}
	w.divide()
	w.index()
	return w
}

func (w *world) add(m *member) {
	w.byName[m.Name] = m
	if m.Server != nil {
		w.byID[m.Server.ID] = m
	}
}

// divide gives each shard what belongs to it.
func (w *world) divide() {
	for i := range w.shards {
		w.shards[i].index = i
	}
	for _, m := range w.members {
		if s := w.shardOf(m.Shard); s != nil {
			s.members = append(s.members, m)
		}
	}
	for _, n := range w.want.Members {
		if s := w.shardOf(n.Shard); s != nil {
			s.wanted = append(s.wanted, n.Name)
		}
		m := w.byName[n.Name]
		if m != nil {
			m.wanted = true
		}
		if m == nil || m.Server == nil {
			w.absent = append(w.absent, n.Name)
		}
	}
}

// shardOf returns the wanted shard of that index, or nil.
func (w *world) shardOf(index int) *shard {
	if index < 0 || index >= len(w.shards) {
		return nil
	}
	return &w.shards[index]
}

// index notes what the servers that answer say of each other.
func (w *world) index() {
	all := map[*View]bool{}
	for _, m := range w.members {
		if id := m.Last.ID; id != "" && w.last[id] == nil {
			w.last[id] = m
		}
		if m.Server == nil {
			continue
		}
		if id := m.Server.Primary; id != "" {
			w.followers[id] = append(w.followers[id], m)
		}
		v := m.Server.View
		if v != nil && !all[v] {
			all[v] = true
			w.views = append(w.views, v)
		}
		if _, noted := w.voters[v]; m.ownsSlots() && !noted {
			w.voters[v] = m.Name
			w.votes = append(w.votes, v)
		}
	}
}

// missing returns the wanted nodes whose servers did not answer, existing or
// not.
func (w *world) missing() []Name { return w.absent }

// attributed returns the slots that any server, in any view, says to have an
// owner.
func (w *world) attributed() slots.Set {
	var ranges []slots.Range
	for _, m := range w.members {
		if m.Server != nil {
			ranges = append(ranges, m.Server.Slots.Ranges()...)
		}
	}
	for _, v := range w.views {
		for _, p := range v.Peers {
			ranges = append(ranges, p.Slots.Ranges()...)
		}
	}
	return slots.Of(ranges...)
}

// owners returns the answering members of s that own slots as primaries. There
// is more than one only while the cluster disagrees with itself.
func (s shard) owners() []*member {
	var owners []*member
	for _, m := range s.members {
		if m.ownsSlots() {
			owners = append(owners, m)
		}
	}
	return owners
}

// primary is the one answering owner of the shard's slots, or nil.
func (s shard) primary() *member {
	if owners := s.owners(); len(owners) == 1 {
		return owners[0]
	}
	return nil
}

func (m *member) ownsSlots() bool {
	return m.Server != nil && m.Server.Role == RolePrimary && !m.Server.Slots.IsEmpty()
}

// blank reports whether it is proven that m has nothing to lose.
func (m *member) blank() bool {
	return m.Server != nil && m.Server.Role == RolePrimary && m.Server.Slots.IsEmpty() &&
		m.Server.Keys == 0 && !m.Server.Loading
}

// alone reports whether m's server knows no other.
func (m *member) alone() bool {
	return m.Server != nil && len(m.Server.Handshakes) == 0 && (m.Server.View == nil || len(m.Server.View.Peers) <= 1)
}

func (m *member) target() Target {
	if m.Server == nil {
		return Target{Name: m.Name}
	}
	return Target{Name: m.Name, ID: m.Server.ID}
}

// guard is what m's pod is now, for the node controller to compare with.
func (m *member) guard() Guard {
	if m.Pod == nil {
		return Guard{}
	}
	if m.Server == nil {
		return Guard{Pod: m.Pod.UID, Role: RoleUnknown}
	}
	return Guard{Pod: m.Pod.UID, Role: m.Server.Role}
}

// replicaOf reports whether m replicates p and has all of its data.
func (m *member) inSyncWith(p *member) bool {
	return m.Server.InSync() && p.Server != nil && m.Server.Primary == p.Server.ID
}
