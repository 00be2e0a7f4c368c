package watch

import (
	"errors"
	"net/netip"
	"strings"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// Observation is what is known of one server, as of the last attempt to ask it.
type Observation struct {
	// Pod and Addr say which server was asked.
	Pod  string
	Addr netip.AddrPort

	// Reachable is true when the server answered. The fields about its state
	// are set only then.
	Reachable bool
	// Err is why the server did not answer; nil when it did.
	Err error
	// Closed is true from the moment when a held connection was closed by the
	// server's side until the server answers again.
	Closed bool

	// NodeID is the server's ID in the cluster bus; "" when it is not in one.
	NodeID valkey.NodeID
	// RunID changes with every start of the process.
	RunID string
	Role  valkey.Role
	// Primary is whom a replica replicates.
	Primary Endpoint
	// LinkUp is true on a replica that is connected and past its first
	// synchronisation; Syncing while a full synchronisation is running.
	LinkUp  bool
	Syncing bool
	// SaveError is why the server cannot write its data to disk, in its own words;
	// "" when it can.
	SaveError string
}

// Endpoint is an address as a server spells it.
type Endpoint struct {
	Host string // IP or host name
	Port string
}

// Why says in a clause why the server did not answer. It is the same for the
// same failure: it has no addresses, ports, or times.
func (o Observation) Why() string {
	var net *valkey.NetError
	switch {
	case o.Err == nil:
		return ""
	case errors.As(o.Err, &net):
		return net.Op + ": " + net.Kind.Error()
	}
	return o.Err.Error()
}

// sameAs reports whether nobody needs to be told of the difference.
func (o Observation) sameAs(p Observation) bool {
	if o.Why() != p.Why() {
		return false
	}
	o.Err, p.Err = nil, nil
	return o == p
}

// read fills in what INFO says. Failing is true when the server could not write
// its data to disk the last time.
func (o *Observation) read(info valkey.Info) (failing bool, err error) {
	server, err := info.Server()
	if err != nil {
		return false, err
	}
	replication, err := info.Replication()
	if err != nil {
		return false, err
	}
	persistence, err := info.Persistence()
	if err != nil {
		return false, err
	}
	o.RunID = server.RunID
	o.Role = replication.Role
	if o.Role == valkey.Replica {
		o.Primary = Endpoint{Host: strings.TrimSuffix(info["master_host"], "."), Port: info["master_port"]}
		o.LinkUp = replication.Source.Up
		o.Syncing = replication.Source.Syncing
	}
	return persistence.DiskFullOrFailing, nil
}
