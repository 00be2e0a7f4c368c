package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io/fs"
	"strings"
)

// A Key names a result by everything that it was made from: the same inputs
// give the same key, in the same order only.
type Key struct{ sum hash.Hash }

// NewKey returns the key of no inputs.
func NewKey() *Key { return &Key{sha256.New()} }

// Add adds values that fmt can print unambiguously (%q for each string).
func (k *Key) Add(values ...any) {
	for _, v := range values {
		fmt.Fprintf(k.sum, "%q\n", fmt.Sprint(v))
	}
}

// AddFile adds the name and content of a file.
func (k *Key) AddFile(files fs.FS, name string) error {
	content, err := fs.ReadFile(files, name)
	if err != nil {
		return err
	}
	fmt.Fprintf(k.sum, "%q %d\n%s\n", name, len(content), content)
	return nil
}

// AddFolder adds all files below a folder, except tests: they decide nothing.
func (k *Key) AddFolder(files fs.FS, folder string) error {
	return fs.WalkDir(files, folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		return k.AddFile(files, name)
	})
}

// String returns 16 hexadecimal digits.
func (k *Key) String() string { return hex.EncodeToString(k.sum.Sum(nil))[:16] }
