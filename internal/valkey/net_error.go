package valkey

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"syscall"
)

// Why a server could not be asked. All come wrapped in a [NetError]. Only
// ErrRefused says anything about the server's process; see [Prober].
var (
	// ErrRefused: the host answered that nothing listens on the port.
	ErrRefused = errors.New("connection refused")
	// ErrUnreachable: the network has no way to the host.
	ErrUnreachable = errors.New("host unreachable")
	// ErrTimeout: no answer in time.
	ErrTimeout = errors.New("timed out")
	// ErrClosed: the server's side closed or reset the connection.
	ErrClosed = errors.New("connection closed by peer")
	// ErrReleased: our side closed the connection or gave up waiting.
	ErrReleased = errors.New("connection released")
	// ErrTLS: the two sides did not agree on TLS or on each other's certificate.
	ErrTLS = errors.New("TLS failed")
	// ErrProtocol: the answer is not what a Valkey server says.
	ErrProtocol = errors.New("not a valid answer")
	// ErrNetwork: any other failure of the connection.
	ErrNetwork = errors.New("connection failed")
)

// NetError is a command or connection attempt that got no answer. It matches
// Kind and everything in Err.
type NetError struct {
	Op   string         // what was tried: "dial", "TLS handshake", "CLUSTER MEET", …
	Addr netip.AddrPort // where
	Kind error          // one of the errors above
	Err  error          // what the operating system or library said; may be nil
}

func (e *NetError) Error() string {
	text := fmt.Sprintf("%s: %s: %v", e.Addr, e.Op, e.Kind)
	if e.Err != nil && !errors.Is(e.Kind, ErrRefused) {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap is Kind and Err.
func (e *NetError) Unwrap() []error { return []error{e.Kind, e.Err} }

// netError wraps what a network call returned. When ctx has ended, that is the
// reason, whatever the call made of it.
func netError(ctx context.Context, op string, addr netip.AddrPort, err error) *NetError {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return &NetError{Op: op, Addr: addr, Kind: netKind(err), Err: err}
}

func netKind(err error) error {
	var op *net.OpError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var timeout net.Error
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, net.ErrClosed):
		return ErrReleased
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return ErrTimeout
	case errors.Is(err, ErrProtocol):
		return ErrProtocol
	case errors.Is(err, syscall.ECONNREFUSED):
		return ErrRefused
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNABORTED):
		return ErrClosed
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return ErrUnreachable
	case errors.As(err, &certificate), errors.As(err, &record):
		return ErrTLS
	case errors.As(err, &op) && (op.Op == "remote error" || op.Op == "local error"): // a TLS alert, received or sent
		return ErrTLS
	case errors.As(err, &timeout) && timeout.Timeout():
		return ErrTimeout
	}
	return ErrNetwork
}
