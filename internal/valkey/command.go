package valkey

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"time"
)

// Command is one command and its arguments.
type Command struct {
	// Args begin with the command's name, as in CLUSTER, MEET, 10.0.0.7, 6379.
	Args []string
	// Limit is how long its reply may take; zero means the connection's
	// default. A batch gets the largest limit of its commands, and never more
	// than its context has left.
	Limit time.Duration
}

// Cmd makes a command of its words.
func Cmd(args ...string) Command { return Command{Args: args} }

// Within is c with another limit, for the few commands that are slow.
func (c Command) Within(limit time.Duration) Command {
	c.Limit = limit
	return c
}

// String is the name of the command, with the subcommand where it is part of
// the name. Arguments may be secrets and are not shown.
func (c Command) String() string {
	if len(c.Args) == 0 {
		return "(no command)"
	}
	if len(c.Args) > 1 && hasSubcommands[c.Args[0]] {
		return c.Args[0] + " " + c.Args[1]
	}
	return c.Args[0]
}

// Format prints [Command.String] for every verb.
func (c Command) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, c.String()) }

// LogValue logs [Command.String].
func (c Command) LogValue() slog.Value { return slog.StringValue(c.String()) }

// MarshalJSON writes [Command.String].
func (c Command) MarshalJSON() ([]byte, error) { return json.Marshal(c.String()) }

// hasSubcommands are the containers among the commands of this package.
var hasSubcommands = map[string]bool{"ACL": true, "CLIENT": true, "CLUSTER": true, "CONFIG": true}
