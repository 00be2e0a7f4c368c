package valkeytest

import (
	"path/filepath"
	"slices"
)

// CLI is how to run the valkey-cli of this version: a program and its first
// arguments.
func (b Binary) CLI() []string {
	command := slices.Clone(b.command)
	server := &command[len(command)-1]
	*server = filepath.Join(filepath.Dir(*server), "valkey-cli")
	return command
}
