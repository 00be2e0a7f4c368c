package images

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// storeWith returns a store in which a release is made, as far as its version.
func storeWith(t *testing.T, series, version string) *Store {
	t.Helper()
	store, err := NewStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	folder := store.folder("valkey-" + series)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "version"), []byte(version+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return store
}

func TestValkeyBin(t *testing.T) {
	store := storeWith(t, "9.1", "9.1.2")
	for version, complaint := range map[string]string{
		"9.1":   "",
		"9.1.2": "",
		"9.1.3": "at 9.1.2",
		"9.10":  "there is 8.0, 8.1, 9.1",
		"7.2":   "there is 8.0, 8.1, 9.1",
	} {
		dir, err := store.ValkeyBin(context.Background(), version, t.Logf)
		switch {
		case complaint == "" && (err != nil || dir != filepath.Join(store.folder("valkey-9.1"), "bin")):
			t.Errorf("%s: %q, %v", version, dir, err)
		case complaint != "" && (err == nil || !strings.Contains(err.Error(), complaint)):
			t.Errorf("%s: error %v, want one with %q", version, err, complaint)
		}
	}
}

func TestLaunchersUseTheFinalFolder(t *testing.T) {
	partial := t.TempDir()
	for _, file := range []string{"rootfs/lib64/ld-linux-x86-64.so.2", "rootfs/usr/lib/x86_64-linux-gnu/libc.so.6"} {
		path := filepath.Join(partial, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeLaunchers(partial, "/final"); err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join(partial, "bin", "valkey-server"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "exec /final/rootfs/lib64/ld-linux-x86-64.so.2 --library-path /final/rootfs/usr/lib/x86_64-linux-gnu" +
		" --argv0 valkey-server /final/rootfs/usr/bin/valkey-server \"$@\"\n"
	if !strings.HasSuffix(string(script), want) {
		t.Errorf("launcher %s\nwant %s", script, want)
	}
	if to, err := os.Readlink(filepath.Join(partial, "bin", "busybox")); err != nil || to != "/final/rootfs/usr/bin/busybox" {
		t.Errorf("busybox is %q: %v", to, err)
	}
}
