package valkey

import (
	"os"
	"path/filepath"
	"testing"
)

// recorded calls use for every file of the corpus that matches pattern: what
// servers of each version answered.
func recorded(t testing.TB, pattern string, use func(file, text string)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("nothing recorded as %s", pattern)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		use(file, string(text))
	}
}

// eachVersion runs test with what every version answered under that name.
func eachVersion(t *testing.T, name string, test func(t *testing.T, text string)) {
	t.Helper()
	recorded(t, filepath.Join("*", name), func(file, text string) {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) { test(t, text) })
	})
}
