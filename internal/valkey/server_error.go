package valkey

import (
	"errors"
	"strings"
)

// What servers refuse with, as far as anyone needs to tell it apart. A
// [ServerError] matches at most one of these.
var (
	// ErrAuth: no such user, wrong password, or none given.
	ErrAuth = errors.New("authentication failed")
	// ErrNoPerm: the user may not run this command.
	ErrNoPerm = errors.New("no permission")
	// ErrDenied: protected mode turned the connection away.
	ErrDenied = errors.New("connection denied")
	// ErrMaxClients: the server has as many clients as it may.
	ErrMaxClients = errors.New("too many clients")
	// ErrLoading: the server is reading its data set from disk.
	ErrLoading = errors.New("loading the data set")
	// ErrBusyScript: the server is busy running a script.
	ErrBusyScript = errors.New("busy running a script")
	// ErrMasterDown: a replica without its primary that does not serve stale data.
	ErrMasterDown = errors.New("replica without link to its primary")
	// ErrClusterDown: the cluster does not serve.
	ErrClusterDown = errors.New("cluster down")
	// ErrClusterDisabled: the server does not run in cluster mode.
	ErrClusterDisabled = errors.New("cluster mode disabled")
	// ErrUnknownCommand: this version has no such command or subcommand.
	ErrUnknownCommand = errors.New("unknown command")
	// ErrUnknownNode: the server knows no node of that ID.
	ErrUnknownNode = errors.New("unknown node")
	// ErrBusySlot: a slot has an owner already.
	ErrBusySlot = errors.New("slot already owned")
	// ErrNotPrimary: the node asked, or the one named, is a replica.
	ErrNotPrimary = errors.New("not a primary")
	// ErrNotReplica: the node asked is a primary.
	ErrNotReplica = errors.New("not a replica")
	// ErrNotEmpty: the node still has slots or keys.
	ErrNotEmpty = errors.New("node not empty")
	// ErrMyself: the node was told to forget or replicate itself.
	ErrMyself = errors.New("node cannot do this to itself")
	// ErrOwnPrimary: a replica was told to forget the primary it replicates.
	ErrOwnPrimary = errors.New("node cannot forget its own primary")
	// ErrPrimaryFailed: the primary does not answer, so only a forced failover works.
	ErrPrimaryFailed = errors.New("primary failed")
	// ErrNotAlone: config epochs are assigned only to a node that knows no other.
	ErrNotAlone = errors.New("node knows other nodes")
	// ErrEpochSet: the node has a config epoch already.
	ErrEpochSet = errors.New("config epoch already set")
	// ErrOpenSlot: the slots are being moved already.
	ErrOpenSlot = errors.New("slot already moving")
)

// ServerError is a command that the server refused.
type ServerError struct {
	Code    string // first word in capitals: ERR, NOAUTH, LOADING, …
	Message string // the rest, in the server's words
}

// NewServerError splits an error line as servers send it, without the leading
// minus sign.
func NewServerError(line string) *ServerError {
	code, message, _ := strings.Cut(line, " ")
	if code == "" || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		code, message = "ERR", line
	}
	// Unknown commands are echoed with their arguments, which may be secrets.
	message, _, _ = strings.Cut(message, ", with args beginning with:")
	return &ServerError{Code: code, Message: message}
}

func (e *ServerError) Error() string { return strings.TrimSpace(e.Code + " " + e.Message) }

// Is reports whether target is what e means, one of [ErrAuth] and so on.
func (e *ServerError) Is(target error) bool { return target != nil && e.meaning() == target }

func (e *ServerError) meaning() error {
	if kind, ok := byCode[e.Code]; ok {
		return kind
	}
	for _, m := range byMessage {
		if strings.Contains(e.Message, m.words) {
			return m.kind
		}
	}
	return nil
}

var byCode = map[string]error{
	"NOAUTH": ErrAuth, "WRONGPASS": ErrAuth, "NOPERM": ErrNoPerm, "DENIED": ErrDenied,
	"LOADING": ErrLoading, "BUSY": ErrBusyScript, "MASTERDOWN": ErrMasterDown, "CLUSTERDOWN": ErrClusterDown,
}

// byMessage is for what servers send under the code ERR. The words are the
// same on 8.0, 8.1 and 9.1; the tests get them from real servers.
var byMessage = []struct {
	words string
	kind  error
}{
	{"without any password configured", ErrAuth},
	{"max number of clients", ErrMaxClients},
	{"cluster support disabled", ErrClusterDisabled},
	{"unknown command", ErrUnknownCommand},
	{"unknown subcommand", ErrUnknownCommand},
	{"Unknown node", ErrUnknownNode},
	{"is already busy", ErrBusySlot},
	{"I can only replicate a master", ErrNotPrimary},
	{"SETSLOT only with masters", ErrNotPrimary},
	{"can only be used on primary nodes", ErrNotPrimary},
	{"FAILOVER to a replica", ErrNotReplica},
	{"the node must be empty", ErrNotEmpty},
	{"master nodes containing keys", ErrNotEmpty},
	{"still hold keys for this hash slot", ErrNotEmpty},
	{"can't forget myself", ErrMyself},
	{"Can't replicate myself", ErrMyself},
	{"Can't forget my master", ErrOwnPrimary},
	{"Master is down or failed", ErrPrimaryFailed},
	{"does not know any other node", ErrNotAlone},
	{"epoch is already non-zero", ErrEpochSet},
	{"I am already migrating slot", ErrOpenSlot},
	{"Slots are being manually migrated", ErrOpenSlot},
	{"Slot export in progress", ErrOpenSlot},
}
