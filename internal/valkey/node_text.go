package valkey

import (
	"fmt"
	"strings"
)

// String is the line that a server prints, without details that this package
// does not read. It is what simulations answer.
func (n Node) String() string {
	ip, primary, link := "", "-", "disconnected"
	if n.Addr.Addr().IsValid() {
		ip = n.Addr.Addr().String()
	}
	if n.Primary != "" {
		primary = string(n.Primary)
	}
	if n.LinkUp {
		link = "connected"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s:%d@%d", n.ID, ip, n.Addr.Port(), n.BusPort)
	if n.Hostname != "" {
		b.WriteString("," + n.Hostname)
	}
	fmt.Fprintf(&b, " %v %s 0 0 %d %s", n.Flags, primary, n.ConfigEpoch, link)
	if !n.Slots.IsEmpty() {
		fmt.Fprintf(&b, " %v", n.Slots)
	}
	for _, open := range n.Migrating {
		fmt.Fprintf(&b, " [%d->-%s]", open.Slot, open.Peer)
	}
	for _, open := range n.Importing {
		fmt.Fprintf(&b, " [%d-<-%s]", open.Slot, open.Peer)
	}
	return b.String()
}

// String is the answer to CLUSTER NODES; [ParseNodes] reads it back to ns.
func (ns Nodes) String() string {
	var b strings.Builder
	for _, n := range ns {
		b.WriteString(n.String() + "\n")
	}
	return b.String()
}
