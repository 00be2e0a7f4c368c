package valkey

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
)

// TLS is how a server proves itself to us and we to it. Certificates are
// always verified; there is no setting to turn that off.
type TLS struct {
	// Roots sign the server's certificate; nil means the system's roots.
	Roots *x509.CertPool
	// Certificate is ours, for servers that ask for one; nil sends none.
	Certificate *tls.Certificate
	// ServerName is the DNS name or IP that the server's certificate must
	// carry. Empty means the IP that was dialed.
	ServerName string
	// Generation changes whenever any of the above does: connections are
	// pooled by it.
	Generation string
}

// config is the standard library's form of t for a server at host.
func (t *TLS) config(host string) *tls.Config {
	c := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: t.Roots, ServerName: t.ServerName}
	if c.ServerName == "" {
		c.ServerName = host
	}
	if t.Certificate != nil {
		c.Certificates = []tls.Certificate{*t.Certificate}
	}
	return c
}

// String is the server name and generation.
func (t TLS) String() string {
	return fmt.Sprintf("TLS(name %q, generation %q)", t.ServerName, t.Generation)
}

// Format prints [TLS.String] for every verb, never keys.
func (t TLS) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, t.String()) }

// LogValue logs [TLS.String].
func (t TLS) LogValue() slog.Value { return slog.StringValue(t.String()) }

// MarshalJSON writes [TLS.String].
func (t TLS) MarshalJSON() ([]byte, error) { return json.Marshal(t.String()) }
