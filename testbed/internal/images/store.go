// Package images makes the images of a cluster from Debian packages and local
// binaries, without a registry, and keeps them in the cache. It knows apt and
// the archive format; it does not know containerd or clusters.
package images

import (
	"archive/tar"
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/valkey-operator/valkey-operator/testbed/internal/cache"
	"github.com/valkey-operator/valkey-operator/testbed/internal/debian"
)

// recipe is the code that makes the images; it is part of their keys, so that
// a change to it makes them anew.
//
//go:embed *.go pause/pause.c
var recipe embed.FS

// PauseRef is the image that holds a pod's namespaces.
const PauseRef = "local/pause:1"

// A Store is the images kept in a cache.
type Store struct {
	dir string
	key string
}

// NewStore returns the images of this version of the testbed, made or not.
func NewStore(cacheDir string) (*Store, error) {
	key := cache.NewKey()
	if err := key.AddFolder(recipe, "."); err != nil {
		return nil, err
	}
	return &Store{filepath.Join(cacheDir, "images"), key.String()}, nil
}

func (s *Store) folder(name string) string { return filepath.Join(s.dir, name+"-"+s.key) }

// Archives returns the files to import into every node.
func (s *Store) Archives() []string {
	archives := []string{filepath.Join(s.folder("pause"), "image.tar")}
	for _, r := range valkeyReleases {
		archives = append(archives, filepath.Join(s.folder("valkey-"+r.series), "image.tar"))
	}
	return archives
}

// Make makes the images that are missing, or all of them again with what the
// suites have now if refresh is set.
func (s *Store) Make(ctx context.Context, refresh bool, say func(string, ...any)) error {
	unlock, err := cache.Lock(s.dir, func() { say("waiting for another run that makes images") })
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.make(s.folder("pause"), refresh, say, func(partial string) error {
		return makePause(ctx, partial, say)
	}); err != nil {
		return err
	}
	for _, r := range valkeyReleases {
		if err := s.makeValkey(ctx, r, refresh, say); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) makeValkey(ctx context.Context, r release, refresh bool, say func(string, ...any)) error {
	folder := s.folder("valkey-" + r.series)
	err := s.make(folder, refresh, say, func(partial string) error {
		say("fetching Valkey %s from Debian %s", r.series, r.suites[len(r.suites)-1])
		return makeValkey(ctx, r, partial, folder)
	})
	if err != nil {
		return err
	}
	version, err := os.ReadFile(filepath.Join(folder, "version"))
	if err != nil {
		return err
	}
	say("image %[1]s:%[2]s, also %[1]s:%[3]s", valkeyRepository, r.series, strings.TrimSpace(string(version)))
	return nil
}

func (s *Store) make(folder string, refresh bool, say func(string, ...any), fill func(string) error) error {
	if cache.Present(folder) && !refresh {
		return nil
	}
	begun := time.Now()
	if err := cache.Fill(folder, fill); err != nil {
		return err
	}
	say("%s made in %s", filepath.Base(folder), time.Since(begun).Round(100*time.Millisecond))
	return nil
}

// ValkeyBin returns the folder with the programs of a Valkey version, a series
// ("9.1") or a full version ("9.1.0"), and makes them if they are missing.
func (s *Store) ValkeyBin(ctx context.Context, version string, say func(string, ...any)) (string, error) {
	var known []string
	for _, r := range valkeyReleases {
		known = append(known, r.series)
		if version != r.series && !strings.HasPrefix(version, r.series+".") {
			continue
		}
		folder := s.folder("valkey-" + r.series)
		if !cache.Present(folder) {
			if err := s.Make(ctx, false, say); err != nil {
				return "", err
			}
		}
		return checkVersion(folder, version)
	}
	return "", fmt.Errorf("no Valkey %s here; there is %s", version, strings.Join(known, ", "))
}

func checkVersion(folder, wanted string) (string, error) {
	text, err := os.ReadFile(filepath.Join(folder, "version"))
	if err != nil {
		return "", err
	}
	if got := strings.TrimSpace(string(text)); got != wanted && !strings.HasPrefix(got, wanted+".") {
		return "", fmt.Errorf("no Valkey %s here; this series is at %s", wanted, got)
	}
	return filepath.Join(folder, "bin"), nil
}

func makePause(ctx context.Context, partial string, say func(string, ...any)) error {
	if err := debian.Install(ctx, debian.Compiler, say); err != nil {
		return err
	}
	source, binary := filepath.Join(partial, "pause.c"), filepath.Join(partial, "pause")
	text, err := recipe.ReadFile("pause/pause.c")
	if err != nil {
		return err
	}
	if err := os.WriteFile(source, text, 0o644); err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, "gcc", "-O2", "-static", "-o", binary, source).CombinedOutput(); err != nil {
		return fmt.Errorf("gcc: %w\n%s", err, out)
	}
	return WriteArchive(filepath.Join(partial, "image.tar"), Image{
		Refs:   []string{PauseRef},
		Config: Config{User: "65535:65535", Entrypoint: []string{"/pause"}},
		Layer:  func(archive *tar.Writer) error { return addBinary(archive, "pause", binary) },
	})
}

// Complete tells whether all images are there.
func (s *Store) Complete() bool {
	for _, archive := range s.Archives() {
		if !cache.Present(archive) {
			return false
		}
	}
	return true
}
