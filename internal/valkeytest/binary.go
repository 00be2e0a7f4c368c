package valkeytest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Versions are the supported versions, oldest first.
var Versions = []string{"8.0", "8.1", "9.1"}

// Binary is one version's valkey-server.
type Binary struct {
	Version string   // major.minor
	command []string // the loader where needed, then the server
}

// Command is how to run the server, without arguments.
func (b Binary) Command() []string { return slices.Clone(b.command) }

// Each runs test as a subtest for every supported version.
func Each(t *testing.T, test func(t *testing.T, bin Binary)) {
	t.Helper()
	for _, version := range Versions {
		t.Run(version, func(t *testing.T) { test(t, Find(t, version)) })
	}
}

// Find is the binary of a version. Without it the test is skipped, saying so.
func Find(t testing.TB, version string) Binary {
	t.Helper()
	name := "VALKEY_BIN_" + strings.ReplaceAll(version, ".", "_")
	dir := os.Getenv(name)
	if dir == "" && os.Getenv("TESTS_REQUIRED") != "" {
		t.Fatalf("%s is not set to a directory with valkey-server", name)
	}
	if dir == "" {
		t.Skipf("NOT TESTED with Valkey %s: %s is not set to a directory with valkey-server; `make test` sets it", version, name)
	}
	command, err := commandIn(dir)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return Binary{Version: version, command: command}
}

// commandIn is how to run dir/valkey-server, through the loader of the system
// tree it stands in if that is not this machine's.
func commandIn(dir string) ([]string, error) {
	server := filepath.Join(dir, "valkey-server")
	if _, err := os.Stat(server); err != nil {
		return nil, err
	}
	root := filepath.Clean(filepath.Join(dir, "..", ".."))
	loaders, err := filepath.Glob(filepath.Join(root, "lib", "*-linux-gnu*", "ld-linux*.so.*"))
	if err != nil {
		return nil, fmt.Errorf("looking for a loader: %w", err)
	}
	if root == "/" || len(loaders) == 0 {
		return []string{server}, nil
	}
	slices.Sort(loaders)
	triplet := filepath.Base(filepath.Dir(loaders[0]))
	libraries := filepath.Join(root, "lib", triplet) + ":" + filepath.Join(root, "usr", "lib", triplet)
	return []string{loaders[0], "--library-path", libraries, server}, nil
}
