package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Some tests need a process of their own: a lease is a matter between
// processes, and an init waits for all children of its process. The test binary
// then runs itself with the name of a role.
const roleVariable = "TESTBED_TEST_ROLE"

var roles = map[string]func() error{
	"hold-lease": holdLeaseRole,
	"init":       initRole,
}

func TestMain(m *testing.M) {
	role, isHelper := os.LookupEnv(roleVariable)
	if !isHelper {
		os.Exit(m.Run())
	}
	if err := roles[role](); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// inRole returns a command that runs a role with its arguments in ARGS.
func inRole(t *testing.T, role string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+role, "ARGS="+strings.Join(args, " "))
	return cmd
}

func roleArgs() []string { return strings.Fields(os.Getenv("ARGS")) }
