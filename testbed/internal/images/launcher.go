package images

import (
	"fmt"
	"os"
	"path/filepath"
)

// launched are the programs that tests start on this machine, outside any pod.
var launched = []string{"valkey-server", "valkey-cli", "valkey-benchmark", "valkey-check-aof", "valkey-check-rdb"}

// launcher starts a program of another Debian release: with that release's own
// loader and libraries, since this machine's may be older or newer. By exec the
// process ID stays, so that a signal to it reaches the server.
const launcher = `#!/bin/sh
exec %[1]s --library-path %[2]s --argv0 %[4]s %[3]s "$@"
`

// writeLaunchers writes the folder bin; final is where the image's folder will be.
func writeLaunchers(partial, final string) error {
	loader, err := findOne(filepath.Join(partial, "rootfs"), "lib64/ld-linux-*.so.*", "lib/ld-linux-*.so.*")
	if err != nil {
		return err
	}
	libc, err := findOne(filepath.Join(partial, "rootfs"), "usr/lib/*-linux-gnu*/libc.so.6")
	if err != nil {
		return err
	}
	bin, root := filepath.Join(partial, "bin"), filepath.Join(final, "rootfs")
	if err := os.Mkdir(bin, 0o755); err != nil {
		return err
	}
	for _, name := range launched {
		script := fmt.Sprintf(launcher, filepath.Join(root, loader), filepath.Join(root, filepath.Dir(libc)),
			filepath.Join(root, "usr/bin", name), name)
		if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o755); err != nil {
			return err
		}
	}
	// What the containers' shell is; it is linked statically.
	return os.Symlink(filepath.Join(root, "usr/bin/busybox"), filepath.Join(bin, "busybox"))
}

// findOne returns the first match of the first pattern that matches, relative to root.
func findOne(root string, patterns ...string) (string, error) {
	for _, pattern := range patterns {
		if matches, _ := filepath.Glob(filepath.Join(root, pattern)); len(matches) > 0 {
			return filepath.Rel(root, matches[0])
		}
	}
	return "", fmt.Errorf("no file %v in %s", patterns, root)
}
