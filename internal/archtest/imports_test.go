package archtest

import (
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/valkey-operator/valkey-operator/"

// Groups of packages that a package may be kept from.
var groups = map[string][]string{
	"kubernetes clients": {"k8s.io/client-go/tools/cache", "k8s.io/client-go/dynamic", "sigs.k8s.io/controller-runtime/pkg/client", "sigs.k8s.io/controller-runtime/pkg/manager"},
	"kubernetes":         {"k8s.io/", "sigs.k8s.io/", module + "api/"},
	"valkey":             {module + "internal/valkey", "github.com/valkey-io/"},
	"decisions":          {module + "internal/topology"},
	"writes":             {module + "internal/act"},
	"clock and log":      {"context", "log", "log/slog", "time/tzdata", "os", "net/http"},
	"tests":              {"testing", module + "internal/valkeytest", module + "internal/valkeysim", module + "internal/podsim", module + "internal/apitest", module + "internal/scenario", module + "e2e", module + "bench"},
}

// rules say what each package must not import: directly or through others.
var rules = []struct {
	packages string
	without  []string
}{
	{"internal/slots", []string{"kubernetes", "valkey", "decisions", "writes"}},
	{"internal/topology", []string{"kubernetes", "valkey", "writes"}},
	{"internal/valkey", []string{"kubernetes", "decisions", "writes"}},
	{"internal/watch", []string{"kubernetes", "decisions", "writes"}},
	{"internal/spec", []string{"kubernetes clients", "valkey", "writes"}},
	{"internal/render/vkcluster", []string{"kubernetes clients", "valkey", "writes"}},
	{"internal/render/vknode", []string{"kubernetes clients", "valkey", "writes", "decisions"}},
	{"internal/report", []string{"kubernetes clients", "valkey", "writes"}},
	{"internal/observe", []string{"writes"}},
	{"cmd/manager", []string{"tests"}},
	{"api/v1alpha1", []string{"kubernetes clients", "valkey", "decisions", "writes"}},
}

// direct say what each package must not import itself, though something that
// it imports may.
var direct = []struct {
	packages string
	without  []string
}{
	{"internal/slots", []string{"clock and log"}},
	{"internal/topology", []string{"clock and log"}},
	{"internal/controller/valkeynode", []string{"decisions"}},
}

func TestImports(t *testing.T) {
	for _, r := range rules {
		check(t, r.packages, "import, directly or not,", "-deps", r.without)
	}
	for _, r := range direct {
		check(t, r.packages, "import", "", r.without)
	}
}

func check(t *testing.T, of, verb, flag string, without []string) {
	t.Helper()
	imported := imports(t, of, flag)
	if len(imported) == 0 {
		t.Errorf("no imports found of %s: is the list right?", of)
	}
	for _, group := range without {
		for _, prefix := range groups[group] {
			for _, path := range imported {
				if path == prefix || (strings.HasSuffix(prefix, "/") && strings.HasPrefix(path, prefix)) ||
					(strings.Contains(prefix, ".") && strings.HasPrefix(path, prefix+"/")) {
					t.Errorf("%s must not %s %s (%s)", of, verb, path, group)
				}
			}
		}
	}
}

// imports lists what a package imports; the tests of the package are not meant.
func imports(t *testing.T, of, flag string) []string {
	t.Helper()
	args := []string{"list", "-f", `{{range .Imports}}{{.}}{{"\n"}}{{end}}`, "./../../" + of}
	if flag != "" {
		args = []string{"list", flag, "-f", "{{.ImportPath}}", "./../../" + of}
	}
	out, err := exec.Command("go", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	var found []string
	for _, path := range strings.Fields(string(out)) {
		if path != module+of {
			found = append(found, path)
		}
	}
	return found
}

// The rules have teeth: a package that does import what is forbidden is found.
func TestRulesCanFail(t *testing.T) {
	found := imports(t, "internal/act", "-deps")
	has := func(prefix string) bool {
		for _, path := range found {
			if strings.HasPrefix(path, prefix) {
				return true
			}
		}
		return false
	}
	if !has(module+"internal/valkey") || !has("sigs.k8s.io/controller-runtime") {
		t.Error("internal/act should import both kinds of client")
	}
}
