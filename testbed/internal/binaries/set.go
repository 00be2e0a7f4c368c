// Package binaries builds the programs of a cluster from Go modules and keeps
// them in a cache, each build under a key of all its inputs. It knows go build;
// it knows nothing of clusters or images.
package binaries

import (
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/valkey-operator/valkey-operator/testbed/internal/cache"
)

// A Set is the binaries that one version of the testbed needs, built or not.
type Set struct {
	cache  string
	source fs.FS
	builds []build
}

// A build is a target and the folder of the cache that holds its result.
type build struct {
	target
	dir string
}

// NewSet describes the binaries for the given sources (go.mod, go.sum and the
// folder cmd of this module); cache is an absolute folder.
func NewSet(cache string, source fs.FS) (*Set, error) {
	gomod, err := fs.ReadFile(source, "go.mod")
	if err != nil {
		return nil, err
	}
	set := &Set{cache: cache, source: source}
	toolchain := runtime.Version() + " " + runtime.GOARCH
	for _, t := range targets(string(gomod)) {
		key, err := t.key(source, toolchain)
		if err != nil {
			return nil, err
		}
		set.builds = append(set.builds, build{t, filepath.Join(cache, "bin", t.name+"-"+key)})
	}
	return set, nil
}

// APIServer returns the part of the set that runs an API server without nodes.
func (s *Set) APIServer() *Set {
	part := *s
	part.builds = slices.DeleteFunc(slices.Clone(s.builds), func(b build) bool {
		return !slices.Contains(apiServerTargets, b.name)
	})
	return &part
}

// Dirs returns the folders with the binaries, to be put on PATH.
func (s *Set) Dirs() []string {
	var dirs []string
	for _, b := range s.builds {
		dirs = append(dirs, b.dir)
	}
	return dirs
}

// Dir returns the folder of one target, such as "cni".
func (s *Set) Dir(name string) string {
	for _, b := range s.builds {
		if b.name == name {
			return b.dir
		}
	}
	return ""
}

// Missing returns the names of the targets that have to be built first.
func (s *Set) Missing() string {
	var names []string
	for _, b := range s.builds {
		if !b.present() {
			names = append(names, b.name)
		}
	}
	return strings.Join(names, ", ")
}

// present tells whether the build is there.
func (b build) present() bool { return cache.Present(b.dir) }
