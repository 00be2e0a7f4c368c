package valkey

import (
	"context"
	"fmt"
	"net/netip"
)

// RoleState is the answer to ROLE: the cheapest way to see a role and its link.
type RoleState struct {
	Role   Role
	Offset int64 // own stream; -1 on a replica that has not synced
	// On a replica: its primary, and "connect", "connecting", "handshake",
	// "sync" or "connected".
	Source netip.AddrPort
	Link   string
	// On a primary: the address and acknowledged offset of each replica online.
	Replicas []ReplicaLink
}

// RoleOf asks a server for its role.
func RoleOf(ctx context.Context, c Conn) (RoleState, error) {
	return ParseRole(do(ctx, c, Cmd("ROLE")))
}

// ParseRole reads the answer to ROLE.
func ParseRole(r Reply) (RoleState, error) {
	items, err := r.List()
	if err != nil {
		return RoleState{}, err
	}
	var word string
	if len(items) > 0 {
		if word, err = items[0].Text(); err != nil {
			return RoleState{}, err
		}
	}
	switch role := parseRole(word); {
	case role == Primary && len(items) >= 3:
		return parsePrimaryRole(items)
	case role == Replica && len(items) >= 5:
		return parseReplicaRole(items)
	}
	return RoleState{}, fmt.Errorf("%w: ROLE says %q with %d elements", ErrProtocol, word, len(items))
}

// parsePrimaryRole reads [master, offset, [[ip, port, offset], …]].
func parsePrimaryRole(items []Reply) (RoleState, error) {
	offset, err := items[1].Int()
	if err != nil {
		return RoleState{}, err
	}
	rows, err := items[2].List()
	if err != nil {
		return RoleState{}, err
	}
	state := RoleState{Role: Primary, Offset: offset}
	for _, row := range rows {
		cells, err := row.List()
		if err != nil {
			return RoleState{}, err
		}
		if len(cells) < 3 {
			return RoleState{}, fmt.Errorf("%w: ROLE with %d elements for a replica", ErrProtocol, len(cells))
		}
		link := ReplicaLink{State: Online}
		if link.Addr, err = parseEndpoint(cells[0], cells[1]); err != nil {
			return RoleState{}, err
		}
		if link.Offset, err = cells[2].Int(); err != nil {
			return RoleState{}, err
		}
		state.Replicas = append(state.Replicas, link)
	}
	return state, nil
}

// parseReplicaRole reads [slave, ip, port, link state, offset].
func parseReplicaRole(items []Reply) (state RoleState, err error) {
	state.Role = Replica
	if state.Source, err = parseEndpoint(items[1], items[2]); err != nil {
		return RoleState{}, err
	}
	if state.Link, err = items[3].Text(); err != nil {
		return RoleState{}, err
	}
	if state.Offset, err = items[4].Int(); err != nil {
		return RoleState{}, err
	}
	return state, nil
}

func parseEndpoint(ip, port Reply) (netip.AddrPort, error) {
	host, err := ip.Text()
	if err != nil {
		return netip.AddrPort{}, err
	}
	n, err := port.Int()
	if err != nil {
		return netip.AddrPort{}, err
	}
	if n < 0 || n > 65535 {
		return netip.AddrPort{}, fmt.Errorf("%w: port %d", ErrProtocol, n)
	}
	return netip.AddrPortFrom(parseIP(host), uint16(n)), nil
}
