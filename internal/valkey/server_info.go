package valkey

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Version of a server.
type Version struct{ Major, Minor, Patch int }

// ParseVersion reads "9.1.2"; what follows a '-' is ignored.
func ParseVersion(text string) (Version, error) {
	release, _, _ := strings.Cut(text, "-")
	parts := strings.Split(release, ".")
	if len(parts) != 3 {
		return Version{}, fmt.Errorf("%w: %q is not a version", ErrProtocol, text)
	}
	var n [3]int
	for i, part := range parts {
		v, err := strconv.ParseUint(part, 10, 16)
		if err != nil {
			return Version{}, fmt.Errorf("%w: %q is not a version", ErrProtocol, text)
		}
		n[i] = int(v)
	}
	return Version{n[0], n[1], n[2]}, nil
}

// AtLeast reports whether v is major.minor or later.
func (v Version) AtLeast(major, minor int) bool {
	return v.Major > major || v.Major == major && v.Minor >= minor
}

// String is "9.1.2".
func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// ServerInfo is INFO's section "server".
type ServerInfo struct {
	Version Version
	RunID   string        // new with every start of the process
	Uptime  time.Duration // whole seconds since that start
}

// Server reads the section "server". The version is valkey_version; before
// Valkey there was only redis_version, which Valkey keeps at 7.2.4.
func (i Info) Server() (ServerInfo, error) {
	text, ok := i["valkey_version"]
	if !ok {
		text = i["redis_version"]
	}
	version, err := ParseVersion(text)
	if err != nil {
		return ServerInfo{}, err
	}
	f := fieldReader{fields: i}
	s := ServerInfo{Version: version, RunID: i["run_id"], Uptime: f.seconds("uptime_in_seconds")}
	return s, f.err
}
