package images

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// An apt is a private configuration of apt that sees other suites of Debian
// and an empty machine: it resolves and downloads, and installs nothing.
type apt struct{ dir string }

// keyring is where every Debian machine has the archive's keys.
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

// newApt makes the configuration in a folder and fetches the package lists.
// Of several suites the last one is preferred.
func newApt(ctx context.Context, dir, archive string, suites []string) (*apt, error) {
	for _, folder := range []string{"lists/partial", "cache/archives/partial", "debs"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			return nil, err
		}
	}
	files := map[string]string{
		"status":       "",
		"sources.list": sourcesList(archive, suites),
		"apt.conf":     configuration(dir, suites[len(suites)-1]),
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			return nil, err
		}
	}
	a := &apt{dir}
	_, err := a.run(ctx, "update", "-q")
	return a, err
}

func sourcesList(archive string, suites []string) string {
	var list strings.Builder
	for _, suite := range suites {
		fmt.Fprintf(&list, "deb [signed-by=%s] %s %s main\n", keyring, archive, suite)
	}
	return list.String()
}

// configuration is read after the machine's own, which may hold a proxy.
func configuration(dir, suite string) string {
	return fmt.Sprintf(`Dir::State::Lists "%[1]s/lists";
Dir::State::status "%[1]s/status";
Dir::Cache "%[1]s/cache";
Dir::Etc::SourceList "%[1]s/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Acquire::Languages "none";
APT::Install-Recommends "0";
APT::Sandbox::User "root";
APT::Default-Release "%[2]s";
`, dir, suite)
}

// closure returns the packages that installing the given ones would bring.
func (a *apt) closure(ctx context.Context, packages []string) ([]string, error) {
	out, err := a.run(ctx, append([]string{"install", "--print-uris", "-y", "-qq"}, packages...)...)
	return packageNames(out), err
}

// packageNames reads lines of 'URI' NAME_VERSION_ARCH.deb SIZE HASH.
func packageNames(printedURIs string) []string {
	var names []string
	for line := range strings.Lines(printedURIs) {
		fields := strings.Fields(line)
		if len(fields) < 2 || !strings.HasPrefix(line, "'") {
			continue
		}
		name, _, _ := strings.Cut(fields[1], "_")
		names = append(names, name)
	}
	return names
}

// download fetches packages, checked against the archive's signature, and
// returns their files.
func (a *apt) download(ctx context.Context, packages []string) ([]string, error) {
	if _, err := a.run(ctx, append([]string{"download", "-q"}, packages...)...); err != nil {
		return nil, err
	}
	return filepath.Glob(filepath.Join(a.dir, "debs", "*.deb"))
}

// run runs apt-get where its downloads belong and returns what it prints.
func (a *apt) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "apt-get", args...)
	cmd.Dir = filepath.Join(a.dir, "debs")
	cmd.Env = append(os.Environ(), "APT_CONFIG="+filepath.Join(a.dir, "apt.conf"), "LC_ALL=C")
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("apt-get %s: %w\n%s", args[0], err, complaints.String())
	}
	return string(out), nil
}
