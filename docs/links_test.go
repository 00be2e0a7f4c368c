package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every link to a file of the repository leads to one, and to a heading that is
// there.
func TestLinks(t *testing.T) {
	all := documents(t)
	checked := 0
	for path, text := range all {
		for _, target := range links(text) {
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			checked++
			if problem := broken(all, path, target); problem != "" {
				t.Errorf("%s: link %s: %s", path, target, problem)
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d links found", checked)
	}
}

// broken says what is wrong with a link, or "".
func broken(all map[string]string, from, target string) string {
	file, heading, anchored := strings.Cut(target, "#")
	path := from
	if file != "" {
		path = filepath.Join(filepath.Dir(from), file)
	}
	if _, err := os.Stat(filepath.Join(root, path)); err != nil {
		return "there is no such file"
	}
	if anchored && !anchors(all[path])[heading] {
		return "there is no such heading"
	}
	return ""
}

func TestBrokenLinksAreFound(t *testing.T) {
	all := map[string]string{"README.md": "# One\n", "docs/install.md": "# Two\n"}
	for target, want := range map[string]string{
		"docs/install.md":       "",
		"docs/install.md#two":   "",
		"#one":                  "",
		"docs/install.md#three": "there is no such heading",
		"docs/absent.md":        "there is no such file",
	} {
		if got := broken(all, "README.md", target); got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
}

// repositoryPath is the path of a file or folder of this repository.
var repositoryPath = regexp.MustCompile(`^(?:api|bench|cmd|config|dist|docs|e2e|examples|hack|internal|testbed|tools)/[\w./*-]*$`)

// Paths that are named in documents, and documents that are named in code,
// exist.
func TestNamedFilesExist(t *testing.T) {
	for path, text := range documents(t) {
		for _, word := range code(text) {
			if strings.HasPrefix(path, "testbed") || !repositoryPath.MatchString(word) {
				continue
			}
			if found, err := filepath.Glob(filepath.Join(root, word)); err != nil || len(found) == 0 {
				t.Errorf("%s names %s, which is not there", path, word)
			}
		}
	}
	document := regexp.MustCompile(`\bdocs/[\w/-]+\.md\b`)
	each(t, ".go", func(path, text string) {
		for _, name := range document.FindAllString(text, -1) {
			if _, err := os.Stat(filepath.Join(root, name)); err != nil && filepath.Dir(path) != "docs" {
				t.Errorf("%s names %s, which is not there", path, name)
			}
		}
	})
}

// Tests that a document calls as witnesses exist.
func TestNamedTestsExist(t *testing.T) {
	functions := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	each(t, ".go", func(path, text string) {
		for _, match := range function.FindAllStringSubmatch(text, -1) {
			functions[match[1]] = true
		}
	})
	name := regexp.MustCompile(`^(?:Test|Fuzz)[A-Z]\w*$`)
	for path, text := range documents(t) {
		for _, word := range code(text) {
			if name.MatchString(word) && !functions[word] {
				t.Errorf("%s names %s, which is not a test", path, word)
			}
		}
	}
}

// Targets of make that are named in documents exist.
func TestNamedTargetsExist(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	targets := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*):`).FindAllStringSubmatch(string(makefile), -1) {
		targets[match[1]] = true
	}
	call := regexp.MustCompile("(?m)(?:`|^ *|; )make ([a-z][a-z0-9-]*)")
	for path, text := range documents(t) {
		for _, match := range call.FindAllStringSubmatch(text, -1) {
			if !targets[match[1]] {
				t.Errorf("%s names make %s, which is not a target", path, match[1])
			}
		}
	}
}

// Every package has its place in CONTRIBUTING.md.
func TestPackagesAreListed(t *testing.T) {
	listed := map[string]bool{}
	for _, word := range code(documents(t)["CONTRIBUTING.md"]) {
		listed[word] = true
	}
	packages := map[string]bool{}
	each(t, ".go", func(path, _ string) {
		if strings.HasPrefix(path, "internal/") {
			packages[filepath.Dir(path)] = true
		}
	})
	if len(packages) < 10 {
		t.Errorf("only %d packages found", len(packages))
	}
	for path := range packages {
		if !listed[path] {
			t.Errorf("CONTRIBUTING.md does not say what %s may know", path)
		}
	}
}
