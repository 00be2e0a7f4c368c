package binaries

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestProgressCountsAndKeepsComplaints(t *testing.T) {
	var said string
	p := &progress{name: "hyperkube", total: 9, say: func(format string, args ...any) { said = fmt.Sprintf(format, args...) }}
	output := "go: downloading k8s.io/api v0.37.2\nk8s.io/api/core/v1\nexample.com/a\n" +
		"# example.com/a\n./a.go:1:2: undefined: x\nunfinished"
	for _, piece := range strings.SplitAfter(output, "i") { // as it comes through a pipe
		if _, err := p.Write([]byte(piece)); err != nil {
			t.Fatal(err)
		}
	}
	p.report(90 * time.Second)
	if want := "hyperkube: 2 of at most 9 packages compiled, 1 modules downloaded, 1m30s"; said != want {
		t.Errorf("said %q, want %q", said, want)
	}
	if got, want := p.complaints(), "# example.com/a\n./a.go:1:2: undefined: x\nunfinished"; got != want {
		t.Errorf("complaints %q, want %q", got, want)
	}
}
