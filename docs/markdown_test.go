package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// root is the top of the repository, as seen from this package.
const root = ".."

// documents returns the text of every Markdown file of the repository, by its
// path from the top.
func documents(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	each(t, ".md", func(path, text string) { found[path] = text })
	if len(found) < 10 || found["README.md"] == "" {
		t.Fatalf("only %d documents found", len(found))
	}
	return found
}

// each calls f with every file of the repository that has the extension.
func each(t *testing.T, extension string, f func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "bin"):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(path) != extension:
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		f(relative, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// prose is a document without its blocks of code.
func prose(text string) string {
	var b strings.Builder
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		if !fenced && !strings.HasPrefix(line, "    ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

var (
	link   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	quoted = regexp.MustCompile("`([^`\n]+)`")
)

// links returns where the links of a document lead.
func links(text string) []string {
	var found []string
	for _, match := range link.FindAllStringSubmatch(quoted.ReplaceAllString(prose(text), ""), -1) {
		found = append(found, match[1])
	}
	return found
}

// code returns what a document has between backquotes.
func code(text string) []string {
	var found []string
	for _, match := range quoted.FindAllStringSubmatch(prose(text), -1) {
		found = append(found, match[1])
	}
	return found
}

// anchors returns the anchors of a document's headings, as GitHub makes them.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for line := range strings.Lines(prose(text)) {
		if title, heading := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); heading && strings.HasPrefix(line, "#") {
			found[anchor(title)] = true
		}
	}
	return found
}

func anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, strings.TrimSpace(title))
}

func TestReadingMarkdown(t *testing.T) {
	const text = "# A `b`, c!\n[x](y.md#z) and `[no](p.md)`\n```\n[q](r.md)\n# not a heading\n```\n    [s](t.md)\n[u](v)\n"
	if got := strings.Join(links(text), " "); got != "y.md#z v" {
		t.Errorf("links %q", got)
	}
	if got := anchors(text); len(got) != 1 || !got["a-b-c"] {
		t.Errorf("anchors %v", got)
	}
	if got := code("a `b c`\n```\n`d`\n```\n"); len(got) != 1 || got[0] != "b c" {
		t.Errorf("code %q", got)
	}
}
