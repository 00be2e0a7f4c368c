package valkeytest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommandIn(t *testing.T) {
	touch := func(path string) string {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain, tree := t.TempDir(), t.TempDir()
	plainServer := touch(filepath.Join(plain, "valkey-server"))
	server := touch(filepath.Join(tree, "usr", "bin", "valkey-server"))
	loader := touch(filepath.Join(tree, "lib", "x86_64-linux-gnu", "ld-linux-x86-64.so.2"))
	libraries := filepath.Dir(loader) + ":" + filepath.Join(tree, "usr", "lib", "x86_64-linux-gnu")
	for dir, want := range map[string][]string{
		plain:                        {plainServer},
		filepath.Dir(server):         {loader, "--library-path", libraries, server},
		filepath.Join(plain, "none"): nil,
	} {
		got, err := commandIn(dir)
		if diff := cmp.Diff(want, got); diff != "" || (err != nil) != (want == nil) {
			t.Errorf("%s: %v (-want +got):\n%s", dir, err, diff)
		}
	}
}

func TestAddressesAreNotReused(t *testing.T) {
	seen := map[any]bool{}
	for range 600 { // more than one network has
		ip := newIP(t)
		if seen[ip] || !ip.IsLoopback() {
			t.Fatalf("address %s again, or not of this machine", ip)
		}
		seen[ip] = true
	}
}
