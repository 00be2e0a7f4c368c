package binaries

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/valkey-operator/valkey-operator/testbed/internal/cache"
	"github.com/valkey-operator/valkey-operator/testbed/internal/debian"
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
	if s.needsCompiler() {
		if err := debian.Install(ctx, debian.Compiler, say); err != nil {
			return err
		}
	}
	for _, b := range s.builds {
		if b.present() {
			continue
		}
		begun := time.Now()
		if err := b.run(ctx, s.source, say); err != nil {
			return fmt.Errorf("build of %s: %w", b.name, err)
		}
		say("%s built in %s", b.name, time.Since(begun).Round(time.Second))
	}
	return nil
}

func (s *Set) needsCompiler() bool {
	for _, b := range s.builds {
		if b.cgo && !b.present() {
			return true
		}
	}
	return false
}

// run builds from a copy of the sources, so that what is built is what the key
// was made from, and adds the other names of the binary.
func (b build) run(ctx context.Context, source fs.FS, say Say) error {
	return cache.Fill(b.dir, func(partial string) error {
		module := filepath.Join(partial, "source")
		if err := os.CopyFS(module, source); err != nil {
			return err
		}
		if err := b.compile(ctx, module, partial, say); err != nil {
			return err
		}
		for _, alias := range b.aliases {
			if err := os.Symlink(b.name, filepath.Join(partial, alias)); err != nil {
				return err
			}
		}
		return os.RemoveAll(module)
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
