package valkey

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

// ParseNodes reads the answer to CLUSTER NODES. Flags, address details and
// key=value fields of later versions are ignored; a line that leaves doubt
// about an ID, a role or a slot is an error, because a wrong view is worse
// than none.
func ParseNodes(text string) (Nodes, error) { return (&Observer{}).parseNodes(text) }

// parseNode reads
// "id ip:port@bus[,hostname] flags primary ping pong epoch link slot…".
func parseNode(line string) (Node, error) {
	fields := strings.Fields(line)
	if len(fields) < 8 {
		return Node{}, fmt.Errorf("%d fields, expected at least 8", len(fields))
	}
	n := Node{ID: NodeID(fields[0]), Flags: parseFlags(fields[2]), LinkUp: fields[7] == "connected"}
	if !n.ID.Valid() {
		return Node{}, fmt.Errorf("%q is not a node ID", fields[0])
	}
	if err := n.parseAddress(fields[1]); err != nil {
		return Node{}, err
	}
	if fields[3] != "-" {
		if n.Primary = NodeID(fields[3]); !n.Primary.Valid() {
			return Node{}, fmt.Errorf("%q is not the ID of a primary", fields[3])
		}
	}
	if err := n.parseCounters(fields[4], fields[5], fields[6]); err != nil {
		return Node{}, err
	}
	return n, n.parseSlots(fields[8:])
}

// parseAddress reads "ip:port@bus", then perhaps a comma and the host name.
// The IP may be empty or, with cluster-announce-ip, no IP at all; IPv6 comes
// without brackets.
func (n *Node) parseAddress(text string) error {
	address, rest, _ := strings.Cut(text, ",")
	n.Hostname, _, _ = strings.Cut(rest, ",")
	if strings.Contains(n.Hostname, "=") { // a detail of another kind, without a host name before it
		n.Hostname = ""
	}
	address, busText, hasBus := strings.Cut(address, "@")
	colon := strings.LastIndexByte(address, ':')
	if colon < 0 || !hasBus {
		return fmt.Errorf("%q is not an address", text)
	}
	port, err := strconv.ParseUint(address[colon+1:], 10, 16)
	if err != nil {
		return fmt.Errorf("port of %q: %w", text, err)
	}
	bus, err := strconv.ParseUint(busText, 10, 16)
	if err != nil {
		return fmt.Errorf("bus port of %q: %w", text, err)
	}
	n.Addr, n.BusPort = netip.AddrPortFrom(parseIP(address[:colon]), uint16(port)), uint16(bus)
	return nil
}

// parseIP is the zero Addr when text is no IP.
func parseIP(text string) netip.Addr {
	ip, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Addr{}
	}
	return ip.Unmap()
}

func (n *Node) parseCounters(ping, pong, epoch string) (err error) {
	if _, err = strconv.ParseInt(ping, 10, 64); err != nil {
		return fmt.Errorf("ping time: %w", err)
	}
	if _, err = strconv.ParseInt(pong, 10, 64); err != nil {
		return fmt.Errorf("pong time: %w", err)
	}
	if n.ConfigEpoch, err = strconv.ParseUint(epoch, 10, 64); err != nil {
		return fmt.Errorf("config epoch: %w", err)
	}
	return nil
}

func (n *Node) parseSlots(fields []string) error {
	var ranges []slots.Range
	for _, field := range fields {
		switch {
		case strings.HasPrefix(field, "["):
			if err := n.parseOpenSlot(field); err != nil {
				return err
			}
		case strings.Contains(field, "="): // a detail of a later version
		default:
			r, err := slots.ParseRange(field)
			if err != nil {
				return err
			}
			ranges = append(ranges, r)
		}
	}
	n.Slots = slots.Of(ranges...)
	return nil
}

// parseOpenSlot reads "[4545->-id]" (migrating to id) or "[4545-<-id]"
// (importing from id).
func (n *Node) parseOpenSlot(text string) error {
	inner, closed := strings.CutSuffix(text[1:], "]")
	slotText, peer, migrating := strings.Cut(inner, "->-")
	importing := false
	if !migrating {
		slotText, peer, importing = strings.Cut(inner, "-<-")
	}
	r, err := slots.ParseRange(slotText)
	if !closed || !migrating && !importing || err != nil || r.First != r.Last || !NodeID(peer).Valid() {
		return fmt.Errorf("%q is not an open slot", text)
	}
	open := OpenSlot{Slot: r.First, Peer: NodeID(peer)}
	if migrating {
		n.Migrating = append(n.Migrating, open)
	} else {
		n.Importing = append(n.Importing, open)
	}
	return nil
}
