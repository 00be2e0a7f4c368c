package images

import (
	"archive/tar"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A release is a series of Valkey and the Debian suites that carry it, the
// preferred suite last.
type release struct {
	series string
	suites []string
}

var valkeyReleases = []release{
	{"8.0", []string{"bookworm", "bookworm-backports"}},
	{"8.1", []string{"trixie"}},
	{"9.1", []string{"sid"}},
}

const (
	valkeyRepository = "valkey/valkey"
	valkeyUser       = 999
)

// makeValkey fills a folder with the image of a release (image.tar), its file
// system (rootfs), programs for this machine (bin) and its version. final is
// where the folder will be.
func makeValkey(ctx context.Context, r release, partial, final string) error {
	archive, err := mirror(ctx)
	if err != nil {
		return err
	}
	work := filepath.Join(partial, "apt")
	defer os.RemoveAll(work)
	a, err := newApt(ctx, work, archive, r.suites)
	if err != nil {
		return err
	}
	root := filepath.Join(partial, "rootfs")
	debs, err := unpackPackages(ctx, a, root, []string{"valkey-server", "valkey-tools", "busybox-static"})
	if err != nil {
		return err
	}
	version, err := valkeyVersion(ctx, debs, r.series)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(partial, "version"), []byte(version+"\n"), 0o644); err != nil {
		return err
	}
	if err := writeLaunchers(partial, final); err != nil {
		return err
	}
	return WriteArchive(filepath.Join(partial, "image.tar"), valkeyImage(root, r.series, version))
}

// valkeyImage runs as a user that is not root, also when a pod does not say so.
func valkeyImage(root, series, version string) Image {
	return Image{
		Refs: []string{valkeyRepository + ":" + series, valkeyRepository + ":" + version},
		Config: Config{
			User:         fmt.Sprintf("%d:%d", valkeyUser, valkeyUser),
			WorkingDir:   "/data",
			Env:          []string{"PATH=/usr/bin:/bin"},
			Cmd:          []string{"valkey-server"},
			ExposedPorts: map[string]struct{}{"6379/tcp": {}},
		},
		Layer: func(archive *tar.Writer) error {
			return addTree(archive, root, map[string]int{"data": valkeyUser})
		},
	}
}

// valkeyVersion returns the upstream version of the server among package
// files. A suite moves on to later series; then an image must not go by the
// wrong name.
func valkeyVersion(ctx context.Context, debs []string, series string) (string, error) {
	at := slices.IndexFunc(debs, func(deb string) bool { return strings.HasPrefix(filepath.Base(deb), "valkey-server_") })
	if at < 0 {
		return "", fmt.Errorf("valkey-server is not among the packages: %v", debs)
	}
	out, err := exec.CommandContext(ctx, "dpkg-deb", "-f", debs[at], "Version").Output()
	if err != nil {
		return "", fmt.Errorf("dpkg-deb -f %s: %w", debs[at], err)
	}
	version := upstream(strings.TrimSpace(string(out)))
	if !strings.HasPrefix(version, series+".") {
		return "", fmt.Errorf("the Debian suite that had Valkey %s has %s now: valkey.go must name another suite", series, version)
	}
	return version, nil
}

var leadingNumbers = regexp.MustCompile(`^[0-9]+(\.[0-9]+)*`)

// upstream returns the numbers of a Debian version: 9.1.0 of 1:9.1.0+dfsg1-2.
func upstream(debian string) string {
	if _, rest, epoch := strings.Cut(debian, ":"); epoch {
		debian = rest
	}
	return leadingNumbers.FindString(debian)
}
