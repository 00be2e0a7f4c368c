package binaries

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// progress reads what `go build -v` prints, one line for each package that it
// compiles, and says every few seconds how far it is.
type progress struct {
	name  string
	total int // packages in all, 0 if unknown; those in Go's build cache are never printed
	say   Say

	mu       sync.Mutex
	rest     []byte
	compiled int
	modules  int
	errors   []string
}

// Write takes the standard error stream of the Go command.
func (p *progress) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rest = append(p.rest, text...)
	for {
		line, rest, found := bytes.Cut(p.rest, []byte("\n"))
		if !found {
			return len(text), nil
		}
		p.rest = rest
		p.line(string(line))
	}
}

// line sorts one line: an import path has neither spaces nor a leading '#'.
func (p *progress) line(line string) {
	switch {
	case strings.HasPrefix(line, "go: downloading "):
		p.modules++
	case line != "" && !strings.ContainsAny(line, " #:"):
		p.compiled++
	default:
		p.errors = append(p.errors, line)
	}
}

// complaints returns everything that was not progress.
func (p *progress) complaints() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(append(p.errors, string(p.rest)), "\n")
}

// start reports until the function that it returns is called.
func (p *progress) start() (stop func()) {
	ticker, done, begun := time.NewTicker(10*time.Second), make(chan struct{}), time.Now()
	go func() {
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				p.report(time.Since(begun))
			}
		}
	}()
	return func() { ticker.Stop(); close(done) }
}

func (p *progress) report(elapsed time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.say("%s: %d of at most %d packages compiled, %d modules downloaded, %s",
		p.name, p.compiled, p.total, p.modules, elapsed.Round(time.Second))
}

// packageCount returns how many packages the target is made of, 0 if the Go
// command cannot tell; the build itself then says why.
func (b build) packageCount(ctx context.Context, module string) int {
	args := append([]string{"list", "-deps", "-tags", b.tags}, b.packages...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = module
	cmd.Env = b.env()
	out, err := cmd.Output()
	if err != nil {
		return 0
	}
	return bytes.Count(out, []byte("\n"))
}
