package topology

import (
	"net/netip"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

type (
	// NodeID is a server's own ID in the cluster bus, 40 hexadecimal digits.
	NodeID string
	// PodUID identifies one pod for its whole life.
	PodUID string
)

// Observed is everything that was seen of a cluster in one pass.
type Observed struct {
	// Members are the ValkeyNodes that exist, wanted or not.
	Members []Member
	// StrayClaims are volumes of this cluster that no wanted node uses. They
	// may hold data of slots that seem to have no owner.
	StrayClaims []string
}

// Member is one ValkeyNode and what was seen of it.
type Member struct {
	Name         Name
	Shard, Index int

	// Deleting is true once somebody asked for the ValkeyNode's deletion, and
	// Protected as long as that waits for the planner's word.
	Deleting, Protected bool
	// Template is the hash of the inputs that the ValkeyNode's pod template
	// was rendered from.
	Template string
	// Guard is the pod and role for which the template may replace the pod.
	Guard Guard
	// Volume is true when the data outlives the pod.
	Volume bool

	// Pod is nil when there is none.
	Pod *Pod
	// Server is nil when the server could not be asked. That is not evidence
	// of anything (N3).
	Server *Server
	// Unknown says why Server is nil, as a clause: "its pod has no address
	// yet".
	Unknown string
	// Refused is true when nothing listens at the pod's address.
	Refused bool
	// Died is true when it is proven that the pod's server has ended: it closed
	// the connection that was held to it, and refuses a fresh one (N11).
	Died bool
	// Last is the server that answered last, in this pod or an earlier one, as
	// far as that was written down.
	Last Last
	// Fenced says why it is certain that server Last has ended and cannot come
	// back unnoticed, as a clause: "its machine m was deleted". It is empty
	// without such evidence; silence is none (N11).
	Fenced string
}

// Last identifies a server by what stays known of it when it is gone.
type Last struct {
	ID      NodeID
	Pod     PodUID
	Machine string
}

// Guard names the pod, and its role, that a decision was made for. The zero
// value guards nothing.
type Guard struct {
	Pod  PodUID
	Role Role
}

// Pod is the pod of a member.
type Pod struct {
	UID PodUID
	// Addr is where clients reach the server; invalid while the pod has none.
	Addr netip.AddrPort
	// Machine is the Kubernetes node that the pod runs on, if any.
	Machine string
	// Template is the hash of the inputs that the pod was rendered from.
	Template string
	// Ready is the pod's own condition.
	Ready bool
	// Terminating is true once the pod's deletion was asked for.
	Terminating bool
	// Stopped is true when it is certain that no server runs in the pod: its
	// container waits or has ended, by the word of the machine's agent, or it
	// was never scheduled.
	Stopped bool
	// Ran is true when a server has run in the pod at some time.
	Ran bool
}

// Role is what a server says it is.
type Role string

// The roles. RoleUnknown is the role of a server that could not be asked.
const (
	RoleUnknown Role = "unknown"
	RolePrimary Role = "primary"
	RoleReplica Role = "replica"
)

// Server is what a server said of itself.
type Server struct {
	ID   NodeID
	Role Role
	// Primary is the ID of the server that this one replicates.
	Primary NodeID
	// Slots that this server owns in its own view.
	Slots slots.Set
	// Keys is the number of keys in all its databases.
	Keys int64
	// Epoch is its configuration epoch, CurrentEpoch the highest that it has
	// heard of.
	Epoch, CurrentEpoch uint64
	// Serving is true when the server's cluster state is ok.
	Serving bool
	// NodeTimeout is its cluster-node-timeout.
	NodeTimeout time.Duration
	// Loading is true while it reads its data set from disk.
	Loading bool
	// Stream is what its data set is a state of.
	Stream Stream
	// Link is a replica's link to its primary.
	Link Link
	// Handshakes are the addresses that it is still meeting.
	Handshakes []netip.AddrPort
	// View is what it knows of all members of the cluster, itself included.
	View *View
}

// Stream is a point in a history of writes, by which the data sets of servers
// can be compared.
type Stream struct {
	History string
	Offset  int64
	// Past is the history that this one goes on from, where PastEnd is.
	Past    string
	PastEnd int64
}

// Link is the replication link of a replica.
type Link struct {
	Up      bool
	Syncing bool
	// HoldsData is true when the replica has what its primary had at some time,
	// be it nothing: it was in sync, or has loaded what it had before.
	HoldsData bool
	// Offset is how far it then got in the replication stream that History
	// names.
	Offset  int64
	History string
}

// InSync reports whether s is a replica that has all of its primary's data,
// but for what is on the way.
func (s *Server) InSync() bool {
	return s != nil && s.Role == RoleReplica && s.Link.Up && !s.Link.Syncing && !s.Loading
}
