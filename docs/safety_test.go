package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func readSafety(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("design/safety.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every invariant that a comment cites has a heading.
func TestCitedInvariantsAreStated(t *testing.T) {
	stated := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)^### ([NA]\d+) `).FindAllStringSubmatch(readSafety(t), -1) {
		stated[match[1]] = true
	}
	if len(stated) != 11+6 {
		t.Errorf("%d invariants are stated, want 17", len(stated))
	}
	cited := 0
	comment := regexp.MustCompile(`(?m)//.*$`)
	name := regexp.MustCompile(`\b[NA][0-9]{1,2}\b`)
	each(t, ".go", func(path, text string) {
		for _, line := range comment.FindAllString(text, -1) {
			for _, cite := range name.FindAllString(line, -1) {
				if cited++; !stated[cite] {
					t.Errorf("%s cites %s, which design/safety.md does not state", path, cite)
				}
			}
		}
	})
	if cited < 20 {
		t.Errorf("only %d citations found", cited)
	}
}

// The situations that stories are told of are those of the page, in its order.
func TestSituationsAreListed(t *testing.T) {
	listed, err := os.ReadFile(filepath.Join(root, "internal/scenario/testdata/situations.txt"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(readSafety(t), "\n## Situations")
	if !found {
		t.Fatal("there is no such section")
	}
	var rows []string
	for _, match := range regexp.MustCompile(`(?m)^\| ([^|]+) \|`).FindAllStringSubmatch(section, -1) {
		if match[1] != "situation" && match[1] != "---" {
			rows = append(rows, match[1])
		}
	}
	if got, want := strings.Join(rows, "\n"), strings.TrimSpace(string(listed)); got != want {
		t.Errorf("the page lists\n%s\nand the stories\n%s", got, want)
	}
}
