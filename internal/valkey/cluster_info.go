package valkey

import "fmt"

// ClusterInfo is the answer to CLUSTER INFO: the cluster as the server asked
// sees it.
type ClusterInfo struct {
	OK            bool   // cluster_state:ok, so this node serves its slots
	SlotsAssigned int    // slots that have an owner
	SlotsOK       int    // of these, whose owner answers
	SlotsPFail    int    // of these, whose owner does not answer this node
	SlotsFail     int    // of these, whose owner is failed by majority
	KnownNodes    int    // this one, other members, and those in handshake
	Size          int    // primaries that own slots
	CurrentEpoch  uint64 // highest epoch seen
	MyEpoch       uint64 // config epoch of this node, or of its primary
}

// ParseClusterInfo reads the answer to CLUSTER INFO. Fields of later versions
// are ignored; a missing cluster_state is an error.
func ParseClusterInfo(text string) (ClusterInfo, error) {
	fields := ParseInfo(text)
	if _, ok := fields["cluster_state"]; !ok {
		return ClusterInfo{}, fmt.Errorf("%w: CLUSTER INFO without cluster_state", ErrProtocol)
	}
	f := fieldReader{fields: fields}
	info := ClusterInfo{
		OK:            fields["cluster_state"] == "ok",
		SlotsAssigned: int(f.int("cluster_slots_assigned")),
		SlotsOK:       int(f.int("cluster_slots_ok")),
		SlotsPFail:    int(f.int("cluster_slots_pfail")),
		SlotsFail:     int(f.int("cluster_slots_fail")),
		KnownNodes:    int(f.int("cluster_known_nodes")),
		Size:          int(f.int("cluster_size")),
		CurrentEpoch:  f.uint("cluster_current_epoch"),
		MyEpoch:       f.uint("cluster_my_epoch"),
	}
	return info, f.err
}
