package valkey

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
)

// Target is a server and how to log in there. However it is printed, it shows
// neither the password nor key material.
type Target struct {
	// Addr is the IP and client port of the server.
	Addr netip.AddrPort
	// Credentials of the user to log in as; the zero value logs in as nobody.
	Credentials Credentials
	// TLS settings; nil means plain text. There is no fallback from TLS.
	TLS *TLS
}

// Credentials name a user. Generation changes whenever the password does
// (for example a hash of the Secret): connections are pooled by it.
type Credentials struct {
	Username   string
	Password   Password
	Generation string
}

// String shows the address and user only.
func (t Target) String() string {
	scheme := "valkey"
	if t.TLS != nil {
		scheme = "valkeys"
	}
	if t.Credentials.Username == "" {
		return fmt.Sprintf("%s://%s", scheme, t.Addr)
	}
	return fmt.Sprintf("%s://%s@%s", scheme, t.Credentials.Username, t.Addr)
}

// Format prints [Target.String] for every verb.
func (t Target) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, t.String()) }

// LogValue logs [Target.String].
func (t Target) LogValue() slog.Value { return slog.StringValue(t.String()) }

// MarshalJSON writes [Target.String].
func (t Target) MarshalJSON() ([]byte, error) { return json.Marshal(t.String()) }
