package binaries

import (
	"io/fs"
	"strings"

	"github.com/valkey-operator/valkey-operator/testbed/internal/cache"
)

// key names a build by its inputs. A target built from a folder of this module
// depends on the files of that folder only, so that a change to the
// provisioner does not link the kubelet again.
func (t target) key(source fs.FS, toolchain string) (string, error) {
	key := cache.NewKey()
	key.Add(toolchain, t.tags, t.ldflags, t.cgo, len(t.packages))
	for _, list := range [][]string{t.packages, t.aliases} {
		for _, name := range list {
			key.Add(name)
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		if err := key.AddFile(source, name); err != nil {
			return "", err
		}
	}
	for _, pkg := range t.packages {
		if folder, own := strings.CutPrefix(pkg, "./"); own {
			if err := key.AddFolder(source, folder); err != nil {
				return "", err
			}
		}
	}
	return key.String(), nil
}
