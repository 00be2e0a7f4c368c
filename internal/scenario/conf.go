package scenario

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/valkey-operator/valkey-operator/internal/topology"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// Faults of what is on a volume. The start of the pod notices all of them but
// the last.
const (
	EmptyConf Fault = "empty nodes.conf" // and restart in place
	CutConf   Fault = "cut nodes.conf"   // behind the server's own line; restart in place
	// OutrankedConf has a replica of another shard, if there is one, as a primary
	// whose configuration epoch is above its primary's; restart in place.
	OutrankedConf Fault = "replica a primary in nodes.conf"
	// SwapVolume starts the pod with a copy of the next member's volume.
	SwapVolume Fault = "copy of a sibling's volume"
)

// spoil lets a fault of its volume happen to n.
func (f *Fleet) spoil(fault Fault, n *node) bool {
	switch fault {
	case CutConf:
		replica := f.role(n) == topology.RoleReplica
		f.crash(n)
		if n.server.CutConf(); replica { // which does not know its primary any more
			f.estrange(n)
			n.pod.restart = f.now + podRestart + gate
		}
	case EmptyConf:
		if f.Replicas() == 0 && !f.saves(n) {
			return false
		}
		f.crash(n)
		n.server.EmptyConf()
		f.estrange(n)
		n.pod.restart = f.now + podRestart + gate
	case OutrankedConf:
		f.crash(n)
		return n.server.OutrankConf()
	case SwapVolume:
		sibling := f.sibling(n)
		if sibling == nil || !f.Volumes {
			return false
		}
		sibling.server.Save()
		f.killed(n)
		n.server.CopyVolume(sibling.server)
		f.estrange(n)
	}
	return true
}

// saves has n's server save its only copy of the shard's data. With nothing on
// the disk the shard would be lost, see [Fleet.needsHuman].
func (f *Fleet) saves(n *node) bool {
	o, err := f.ask(n)
	if err != nil || o.Keys == 0 || o.Persistence.Loading {
		return false
	}
	n.server.Save()
	return true
}

// estrange notes that n's server will find no identity of its own.
func (f *Fleet) estrange(n *node) { n.estranged, n.wiped, n.unclean = true, true, false }

// sibling is the next member that runs.
func (f *Fleet) sibling(n *node) *node {
	members := f.Want.Members
	for i, w := range members {
		if w.Name != n.Name {
			continue
		}
		for j := range len(members) - 1 {
			if s := f.nodes[members[(i+1+j)%len(members)].Name]; s != nil && s.pod != nil && s.server.Running() {
				return s
			}
		}
	}
	return nil
}

// isLost reports whether n's server has lost who it was, or will find that it
// has. Nothing more happens to it until it is somebody again.
func (f *Fleet) isLost(n *node) bool {
	if n.estranged {
		return true
	}
	o, err := f.ask(n)
	return err == nil && topology.NodeID(o.Self().Primary) == topology.Nobody
}

func (f *Fleet) anyLost() bool {
	for _, n := range f.nodes {
		if f.isLost(n) {
			return true
		}
	}
	return false
}

// renewed is the nodes.conf of a new ID that the start of a pod writes when the
// old one is of no use.
func renewed(id valkey.NodeID) string {
	const address = ":0@0,,tls-port=0,shard-id="
	return fmt.Sprintf("%s %s%s myself,slave %s 0 0 0 connected\n%s %s%s master,noaddr - 0 0 0 disconnected\nvars currentEpoch 0 lastVoteEpoch 0\n",
		id, address, id, topology.Nobody, topology.Nobody, address, id)
}

// outranked is a nodes.conf in which a replica is a primary with a configuration
// epoch above all others: one of another shard, if there is one. It returns false
// if no other server is a replica.
func outranked(conf string) (string, bool) {
	lines := strings.SplitAfter(conf, "\n")
	best, highest, own := -1, 0, ""
	for i, line := range lines {
		words := strings.Fields(line)
		if len(words) < nodeWords || words[0] == "vars" {
			continue
		}
		epoch, _ := strconv.Atoi(words[6])
		highest = max(highest, epoch)
		switch {
		case strings.Contains(words[2], "myself"):
			if own = words[3]; own == "-" {
				own = words[0]
			}
		case strings.HasPrefix(words[2], "slave"):
			if best < 0 || words[3] != own {
				best = i
			}
		}
	}
	if best < 0 {
		return conf, false
	}
	words := strings.Fields(lines[best])
	words[2], words[3], words[6] = "master", "-", strconv.Itoa(highest+10)
	lines[best] = strings.Join(words, " ") + "\n"
	return strings.Join(lines, ""), true
}

// nodeWords is how many words a line of nodes.conf about a server has at least.
const nodeWords = 8

// ownLine is what is left of a nodes.conf that was cut off behind the server's
// own line.
func ownLine(conf string) string {
	for line := range strings.Lines(conf) {
		if strings.Contains(line, "myself") {
			return line
		}
	}
	return ""
}
