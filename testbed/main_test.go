package main

import (
	"testing"

	"github.com/valkey-operator/valkey-operator/testbed/internal/binaries"
)

// The binaries are built from what this command carries.
func TestCommandCarriesItsSources(t *testing.T) {
	if _, err := binaries.NewSet(t.TempDir(), source); err != nil {
		t.Error(err)
	}
}

func TestEveryCommandIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range commands {
		if c.help == "" || c.run == nil || seen[c.name] || isInternal(c.name) {
			t.Errorf("command %+v", c)
		}
		seen[c.name] = true
	}
}

func TestFileName(t *testing.T) {
	if got := fileName("valkey-operator/valkey-operator:dev"); got != "valkey-operator-valkey-operator-dev" {
		t.Errorf("file name %q", got)
	}
}
