package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Every state, condition and reason is in docs/status.md, and nothing else is.
func TestStatusIsDocumented(t *testing.T) {
	text, err := os.ReadFile("status.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		section  string
		constant *regexp.Regexp
		atLeast  int
		also     map[string]bool
	}{
		{"States", regexp.MustCompile(`^State[A-Z]`), 5, nil},
		{"Conditions", regexp.MustCompile(`^Condition[A-Z]`), 10, nil},
		{"Reasons", regexp.MustCompile(`^[Rr]eason[A-Z]`), 40, literals(t, "internal/report")},
	} {
		known := constants(t, c.constant)
		if len(known) < c.atLeast {
			t.Errorf("%s: only %d constants found", c.section, len(known))
		}
		maps.Copy(known, c.also)
		explained := rows(string(text), c.section)
		for _, word := range slices.Sorted(maps.Keys(known)) {
			if !explained[word] {
				t.Errorf("%s: %s is not in status.md", c.section, word)
			}
		}
		for _, word := range slices.Sorted(maps.Keys(explained)) {
			if !known[word] {
				t.Errorf("%s: status.md has %s, which no code says", c.section, word)
			}
		}
	}
}

var row = regexp.MustCompile("^\\| `([A-Za-z]+)` \\|")

// rows returns the first cells of the tables below headings that begin with the
// name of the section.
func rows(text, section string) map[string]bool {
	found := map[string]bool{}
	inside := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			inside = strings.HasPrefix(strings.TrimLeft(line, "# "), section)
		}
		if match := row.FindStringSubmatch(line); inside && match != nil {
			found[match[1]] = true
		}
	}
	return found
}

// constants returns the values of the string constants with such names, in the
// packages whose words end up in a status.
func constants(t *testing.T, name *regexp.Regexp) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, dir := range []string{"api/v1alpha1", "internal/topology", "internal/report", "internal/controller/*"} {
		inspect(t, dir, func(n ast.Node) {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || !name.MatchString(spec.Names[0].Name) {
				return
			}
			for _, value := range spec.Values {
				if text, is := literal(value); is {
					found[text] = true
				}
			}
		})
	}
	return found
}

// literals returns the string literals of a package that look like a reason:
// several words in one.
func literals(t *testing.T, dir string) map[string]bool {
	t.Helper()
	reason := regexp.MustCompile(`^[A-Z][a-z]+(?:[A-Z][a-z]+)+$`)
	found := map[string]bool{}
	inspect(t, dir, func(n ast.Node) {
		if expr, ok := n.(ast.Expr); ok {
			if text, is := literal(expr); is && reason.MatchString(text) {
				found[text] = true
			}
		}
	})
	return found
}

func literal(e ast.Expr) (string, bool) {
	basic, ok := e.(*ast.BasicLit)
	if !ok || basic.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(basic.Value)
	return text, err == nil
}

// inspect visits the code of the packages, without their tests.
func inspect(t *testing.T, dir string, visit func(ast.Node)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", dir, len(files), err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			visit(n)
			return true
		})
	}
}

func TestRowsOfASection(t *testing.T) {
	const text = "# Status\n| `No` | x |\n## Reasons of nodes\n| reason | x |\n| `One` | x |\ntext `Two`\n## More\n| `Three` | x |\n### Reasons\n| `Four` | x |\n"
	if got := strings.Join(slices.Sorted(maps.Keys(rows(text, "Reasons"))), " "); got != "Four One" {
		t.Errorf("rows %q", got)
	}
}
