package cache

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func put(content string) func(string) error {
	return func(partial string) error {
		return os.WriteFile(filepath.Join(partial, "file"), []byte(content), 0o644)
	}
}

func content(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestFillReplacesWhatWasThere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results", "x")
	for _, want := range []string{"old", "new"} {
		if err := Fill(dir, put(want)); err != nil {
			t.Fatal(err)
		}
		if got := content(t, dir); got != want {
			t.Errorf("content %q, want %q", got, want)
		}
	}
	onlyEntry(t, filepath.Dir(dir), "x")
}

func TestFailedFillKeepsWhatWasThere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x")
	if err := Fill(dir, put("old")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := Fill(dir, func(partial string) error {
		_ = put("half")(partial)
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	if got := content(t, dir); got != "old" {
		t.Errorf("content %q, want the old one", got)
	}
	onlyEntry(t, filepath.Dir(dir), "x")
}

func TestFillRemovesWhatAKilledOneLeft(t *testing.T) {
	parent := t.TempDir()
	left, err := Scratch(parent)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(left, "huge"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Fill(filepath.Join(parent, "x"), put("new")); err != nil {
		t.Fatal(err)
	}
	onlyEntry(t, parent, "x")
}

func onlyEntry(t *testing.T, dir, want string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || entries[0].Name() != want {
		t.Errorf("%s holds %v, want only %s", dir, entries, want)
	}
}

func TestLockIsExclusive(t *testing.T) {
	dir := t.TempDir()
	unlock, err := Lock(dir, func() { t.Error("waited for a lock that nobody held") })
	if err != nil {
		t.Fatal(err)
	}
	waiting := make(chan struct{})
	taken := make(chan error, 1)
	go func() {
		second, err := Lock(dir, func() { close(waiting) })
		if err == nil {
			second()
		}
		taken <- err
	}()
	<-waiting
	unlock()
	if err := <-taken; err != nil {
		t.Error(err)
	}
}

func TestDirFromEnvironment(t *testing.T) {
	want := filepath.Join(t.TempDir(), "made", "on", "demand")
	t.Setenv("VALKEY_TESTBED_CACHE", want)
	got, err := Dir()
	if err != nil || got != want || !Present(want) {
		t.Errorf("Dir() = %q, %v; want %q, which exists", got, err, want)
	}
}
