package scenario

import (
	"context"
	"net/netip"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/topology"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// Ground is what the servers of a fleet stand on.
type Ground interface {
	valkey.Dialer
	// Add returns a new server with an empty disk, not started.
	Add(name topology.Name) Server
	// Inside dials a server from its own machine, whatever the network does.
	Inside(ctx context.Context, s Server) (valkey.Conn, error)
	// Pass lets time go by.
	Pass(d time.Duration)
}

// Server is a machine with an address and a disk, on which a process runs or
// does not.
type Server interface {
	Addr() netip.AddrPort
	Running() bool
	// Start starts the process with what is on the disk. It returns false when
	// it does not come up with that.
	Start() bool
	// Stop ends the process as a container runtime does, Kill at once.
	Stop()
	Kill()
	// Move gives a stopped server a new address, Wipe an empty disk.
	Move()
	Wipe()
	// EmptyConf and CutConf leave nothing, or only the server's own line, of a
	// stopped server's nodes.conf. CopyVolume replaces its disk by a copy of
	// another's.
	EmptyConf()
	CutConf()
	// OutrankConf has a replica as a primary of a higher epoch; false if there is
	// no other replica.
	OutrankConf() bool
	CopyVolume(of Server)
	// Renew gives a stopped server a new ID, with which it is a replica of
	// nobody, and leaves its data.
	Renew()
	// Save writes the data set to the disk.
	Save()
	// Value is what the running server has for key, and Saved what its disk
	// has; "" if nothing, or if that cannot be told.
	Value(key string) string
	Saved(key string) string
}
