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
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// meanings are all that a ServerError can match.
var meanings = []error{
	ErrAuth, ErrNoPerm, ErrDenied, ErrMaxClients, ErrLoading, ErrBusyScript, ErrMasterDown, ErrClusterDown, ErrClusterDisabled,
	ErrUnknownCommand, ErrUnknownNode, ErrBusySlot, ErrNotPrimary, ErrNotReplica, ErrNotEmpty, ErrMyself, ErrOwnPrimary,
	ErrPrimaryFailed, ErrNotAlone, ErrEpochSet, ErrOpenSlot,
}

// The lines are what servers sent; the real server tests provoke most again.
func TestServerErrorMeaning(t *testing.T) {
	seen := map[error]bool{}
	for line, want := range map[string]error{
		"NOAUTH Authentication required.":                                                                 ErrAuth,
		"WRONGPASS invalid username-password pair or user is disabled.":                                   ErrAuth,
		"NOPERM User op has no permissions to run the 'flushall' command":                                 ErrNoPerm,
		"DENIED Valkey is running in protected mode because …":                                            ErrDenied,
		"ERR max number of clients reached":                                                               ErrMaxClients,
		"ERR max number of clients + cluster connections reached":                                         ErrMaxClients,
		"LOADING Valkey is loading the dataset in memory":                                                 ErrLoading,
		"BUSY Valkey is busy running a script. You can only call SCRIPT KILL":                             ErrBusyScript,
		"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is 'no'":                        ErrMasterDown,
		"CLUSTERDOWN The cluster is down":                                                                 ErrClusterDown,
		"ERR This instance has cluster support disabled":                                                  ErrClusterDisabled,
		"ERR unknown command 'FOO', with args beginning with: 'secret' ":                                  ErrUnknownCommand,
		"ERR unknown subcommand 'MIGRATESLOTS'. Try CLUSTER HELP.":                                        ErrUnknownCommand,
		"ERR Unknown node 468a2a6e4e03b36ca066f868cbc791d74b9f135d":                                       ErrUnknownNode,
		"ERR Unknown node name: 468a2a6e4e03b36ca066f868cbc791d74b9f135d":                                 ErrUnknownNode,
		"ERR Slot 0 is already busy":                                                                      ErrBusySlot,
		"ERR I can only replicate a master, not a replica.":                                               ErrNotPrimary,
		"ERR Please use SETSLOT only with masters.":                                                       ErrNotPrimary,
		"ERR Slot migration can only be used on primary nodes.":                                           ErrNotPrimary,
		"ERR You should send CLUSTER FAILOVER to a replica":                                               ErrNotReplica,
		"ERR To set a master the node must be empty and without assigned slots.":                          ErrNotEmpty,
		"ERR CLUSTER RESET can't be called with master nodes containing keys":                             ErrNotEmpty,
		"ERR Can't assign hashslot 5 to a different node while I still hold keys for this hash slot.":     ErrNotEmpty,
		"ERR I tried hard but I can't forget myself...":                                                   ErrMyself,
		"ERR Can't replicate myself":                                                                      ErrMyself,
		"ERR Can't forget my master!":                                                                     ErrOwnPrimary,
		"ERR Master is down or failed, please use CLUSTER FAILOVER FORCE":                                 ErrPrimaryFailed,
		"ERR The user can assign a config epoch only when the node does not know any other node.":         ErrNotAlone,
		"ERR Node config epoch is already non-zero":                                                       ErrEpochSet,
		"ERR I am already migrating slot 300.":                                                            ErrOpenSlot,
		"ERR Slots are being manually migrated":                                                           ErrOpenSlot,
		"ERR Slot export in progress.":                                                                    ErrOpenSlot,
		"ERR AUTH <password> called without any password configured for the default user. Are you sure …": ErrAuth,
		"ERR Slots are not served by this node.":                                                          nil,
		"ERR Invalid node address specified: foo:1":                                                       nil,
		"": nil,
	} {
		err := fmt.Errorf("somewhere: %w", NewServerError(line))
		for _, meaning := range meanings {
			if got := errors.Is(err, meaning); got != (meaning == want) {
				t.Errorf("%q is %q: %v", line, meaning, got)
			}
		}
		seen[want] = true
	}
	for _, meaning := range meanings {
		if !seen[meaning] {
			t.Errorf("nothing tested for %q", meaning)
		}
	}
}

func TestNewServerError(t *testing.T) {
	for _, test := range []struct{ line, code, message, text string }{
		{"ERR no such key", "ERR", "no such key", "ERR no such key"},
		{"LOADING", "LOADING", "", "LOADING"},
		{"something odd", "ERR", "something odd", "ERR something odd"},
		{"", "ERR", "", "ERR"},
		{"\r", "ERR", "\r", "ERR"},
		{"ERR unknown command 'AUTHX', with args beginning with: 'hunter2' ", "ERR", "unknown command 'AUTHX'", "ERR unknown command 'AUTHX'"},
	} {
		got := NewServerError(test.line)
		if diff := cmp.Diff(&ServerError{Code: test.code, Message: test.message}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.line, diff)
		}
		if got.Error() != test.text {
			t.Errorf("%q prints %q", test.line, got)
		}
	}
}

func TestConfigError(t *testing.T) {
	for line, want := range map[string]*ConfigError{
		"ERR Unknown option or number of arguments for CONFIG SET - 'nope'":                                                {Parameter: "nope", Problem: ConfigUnknown, Words: "Unknown option or number of arguments for CONFIG SET - 'nope'"},
		"ERR CONFIG SET failed (possibly related to argument 'databases') - can't set immutable config":                    {Parameter: "databases", Problem: ConfigImmutable, Words: "can't set immutable config"},
		"ERR CONFIG SET failed (possibly related to argument 'dir') - can't set protected config":                          {Parameter: "dir", Problem: ConfigProtected, Words: "can't set protected config"},
		"ERR CONFIG SET failed (possibly related to argument 'maxmemory') - argument must be a memory value":               {Parameter: "maxmemory", Problem: ConfigInvalid, Words: "argument must be a memory value"},
		"ERR CONFIG SET failed (possibly related to argument 'maxmemory') - duplicate parameter":                           {Parameter: "maxmemory", Problem: ConfigInvalid, Words: "duplicate parameter"},
		"ERR CONFIG SET failed (possibly related to argument 'notify-keyspace-events') - Invalid event class character. …": {Parameter: "notify-keyspace-events", Problem: ConfigInvalid, Words: "Invalid event class character. …"},
	} {
		err := configError(NewServerError(line))
		var got *ConfigError
		if !errors.As(err, &got) {
			t.Errorf("%q is %T", line, err)
			continue
		}
		want.Err = NewServerError(line)
		if text := got.Error(); !strings.Contains(text, want.Parameter) || !strings.Contains(text, want.Words) || !strings.Contains(text, string(want.Problem)) {
			t.Errorf("%q prints %q", line, text)
		}
		var server *ServerError
		if !errors.As(errors.Unwrap(err), &server) || server.Error() != line {
			t.Errorf("%q unwraps to %v", line, errors.Unwrap(err))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", line, diff)
		}
	}
	for _, err := range []error{nil, io.EOF, NewServerError("NOPERM no"), NewServerError("ERR other")} {
		if got := configError(err); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
	if errors.Is(&ConfigError{Parameter: "made up"}, ErrLoading) {
		t.Error("an error without a server's is anything")
	}
	if !errors.Is(configError(NewServerError("LOADING x")), ErrLoading) {
		t.Error("the server's error is hidden")
	}
}

type timeoutError struct{ error }

func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }

func TestNetErrorKinds(t *testing.T) {
	addr := netip.MustParseAddrPort("10.0.0.1:6379")
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, test := range []struct {
		ctx  context.Context
		err  error
		want error
	}{
		{nil, syscall.ECONNREFUSED, ErrRefused},
		{nil, &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, ErrRefused},
		{nil, syscall.EHOSTUNREACH, ErrUnreachable},
		{nil, syscall.ENETUNREACH, ErrUnreachable},
		{nil, io.EOF, ErrClosed},
		{nil, io.ErrUnexpectedEOF, ErrClosed},
		{nil, syscall.ECONNRESET, ErrClosed},
		{nil, syscall.EPIPE, ErrClosed},
		{nil, os.ErrDeadlineExceeded, ErrTimeout},
		{nil, context.DeadlineExceeded, ErrTimeout},
		{nil, syscall.ETIMEDOUT, ErrTimeout},
		{nil, timeoutError{errors.New("late")}, ErrTimeout},
		{nil, net.ErrClosed, ErrReleased},
		{nil, fmt.Errorf("%w: x", ErrProtocol), ErrProtocol},
		{nil, tls.RecordHeaderError{}, ErrTLS},
		{nil, &tls.CertificateVerificationError{}, ErrTLS},
		{nil, &net.OpError{Op: "remote error", Err: errors.New("tls: bad certificate")}, ErrTLS},
		{nil, errors.New("what"), ErrNetwork},
		{cancelled, syscall.ECONNRESET, ErrReleased},
	} {
		ctx := test.ctx
		if ctx == nil {
			ctx = context.Background()
		}
		got := netError(ctx, "try", addr, test.err)
		if got.Kind != test.want {
			t.Errorf("%v is of kind %q, want %q", test.err, got.Kind, test.want)
		}
		if !errors.Is(got, test.want) || ctx.Err() == nil && !errors.Is(got, test.err) {
			t.Errorf("%v hides its kind or cause", got)
		}
	}
}

func TestNetErrorText(t *testing.T) {
	addr := netip.MustParseAddrPort("10.0.0.1:6379")
	for want, err := range map[string]*NetError{
		"10.0.0.1:6379: dial: connection refused":                     netError(context.Background(), "dial", addr, syscall.ECONNREFUSED),
		"10.0.0.1:6379: CLUSTER MEET: connection closed by peer: EOF": netError(context.Background(), "CLUSTER MEET", addr, io.EOF),
		"10.0.0.1:6379: closed: connection released":                  {Op: "closed", Addr: addr, Kind: ErrReleased},
	} {
		if got := err.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
