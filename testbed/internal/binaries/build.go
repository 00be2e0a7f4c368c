package binaries

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/valkey-operator/valkey-operator/testbed/internal/cache"
)

// Say prints one line of progress.
type Say func(format string, args ...any)

// Build builds what is missing of the set. Cold, that takes ten minutes on two
// cores, most of it Kubernetes; later builds use Go's own build cache.
func (s *Set) Build(ctx context.Context, say Say) error {
	if s.Missing() == "" {
		say("all binaries are there already")
		return nil
	}
	unlock, err := cache.Lock(filepath.Dir(s.builds[0].dir), func() { say("waiting for another build") })
	if err != nil {
		return err
	}
	defer unlock()
	if err := installPackages(ctx, s.needsCgo(), say); err != nil {
		return err
	}
	module, err := s.unpack()
	if err != nil {
		return err
	}
	defer os.RemoveAll(module)
	for _, b := range s.builds {
		if b.present() {
			continue
		}
		begun := time.Now()
		if err := b.run(ctx, module, say); err != nil {
			return fmt.Errorf("build of %s: %w", b.name, err)
		}
		say("%s built in %s", b.name, time.Since(begun).Round(time.Second))
	}
	return nil
}

func (s *Set) needsCgo() bool {
	for _, b := range s.builds {
		if b.cgo && !b.present() {
			return true
		}
	}
	return false
}

// unpack writes the sources to a folder of their own, so that what is built is
// what the key was made from, wherever the command is run.
func (s *Set) unpack() (string, error) {
	if err := os.MkdirAll(s.cache, 0o755); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(s.cache, "source-")
	if err != nil {
		return "", err
	}
	return dir, os.CopyFS(dir, s.source)
}

// run compiles the target and adds the other names of its binary.
func (b build) run(ctx context.Context, module string, say Say) error {
	return cache.Fill(b.dir, func(partial string) error {
		if err := b.compile(ctx, module, partial, say); err != nil {
			return err
		}
		for _, alias := range b.aliases {
			if err := os.Symlink(b.name, filepath.Join(partial, alias)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (b build) compile(ctx context.Context, module, out string, say Say) error {
	args := []string{"build", "-v", "-trimpath", "-buildvcs=false", "-tags", b.tags, "-ldflags", "-s -w " + b.ldflags, "-o", out + "/"}
	cmd := exec.CommandContext(ctx, "go", append(args, b.packages...)...)
	cmd.Dir = module
	cmd.Env = b.env()
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	progress := &progress{name: b.name, total: b.packageCount(ctx, module), say: say}
	defer progress.start()()
	cmd.Stderr = progress
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w\n%s", err, progress.complaints())
	}
	return nil
}

// env is the environment of the Go command; GOFLAGS and GOWORK of the caller
// must not change what a key stands for.
func (b build) env() []string {
	cgo := "CGO_ENABLED=0"
	if b.cgo {
		cgo = "CGO_ENABLED=1"
	}
	return append(os.Environ(), "GOFLAGS=", "GOWORK=off", cgo)
}
