package cache

import (
	"testing"
	"testing/fstest"
)

func folderKey(t *testing.T, files fstest.MapFS) string {
	t.Helper()
	key := NewKey()
	if err := key.AddFolder(files, "."); err != nil {
		t.Fatal(err)
	}
	return key.String()
}

func files(content map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range content {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

func TestKeyOfFolder(t *testing.T) {
	base := folderKey(t, files(map[string]string{"main.go": "a", "sub/x.go": "b"}))
	tests := []struct {
		name  string
		files map[string]string
		same  bool
	}{
		{"the same", map[string]string{"main.go": "a", "sub/x.go": "b"}, true},
		{"a test besides", map[string]string{"main.go": "a", "sub/x.go": "b", "sub/x_test.go": "c"}, true},
		{"other content", map[string]string{"main.go": "a", "sub/x.go": "c"}, false},
		{"other name", map[string]string{"main.go": "a", "sub/y.go": "b"}, false},
		{"content moved between files", map[string]string{"main.go": "ab", "sub/x.go": ""}, false},
		{"a file besides", map[string]string{"main.go": "a", "sub/x.go": "b", "z.go": ""}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := folderKey(t, files(test.files)); (got == base) != test.same {
				t.Errorf("key %s, base %s: want same = %v", got, base, test.same)
			}
		})
	}
}

func TestKeyKeepsValuesApart(t *testing.T) {
	one, two := NewKey(), NewKey()
	one.Add("ab", "c")
	two.Add("a", "bc")
	if one.String() == two.String() {
		t.Error(`"ab","c" and "a","bc" have the same key`)
	}
}

func TestKeyOfMissingFile(t *testing.T) {
	if err := NewKey().AddFile(fstest.MapFS{}, "go.mod"); err == nil {
		t.Error("a missing input gave no error")
	}
}
