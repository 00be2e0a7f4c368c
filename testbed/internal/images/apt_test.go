package images

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestArchiveOf(t *testing.T) {
	tests := []struct {
		name, targets, want string
	}{
		{"one line a suite", "http://mirror/debian/ bookworm main\n", "http://mirror/debian/"},
		{"security first", "http://sec/ bookworm-security main\nhttp://mirror/debian/ bookworm-updates main\nhttp://mirror/debian/ trixie main\n", "http://mirror/debian/"},
		{"third party first", "https://tools/node nodistro main\nhttp://mirror/debian/ sid main\n", "http://mirror/debian/"},
		{"other component", "http://mirror/debian/ sid contrib\n", ""},
		{"nothing", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := archiveOf(test.targets)
			if got != test.want || (err != nil) != (test.want == "") || err != nil && !errors.Is(err, errNoMirror) {
				t.Errorf("%q, %v; want %q", got, err, test.want)
			}
		})
	}
}

// TestMirrorFromEitherFormat asks the real apt about both ways of writing its
// sources.
func TestMirrorFromEitherFormat(t *testing.T) {
	if _, err := exec.LookPath("apt-get"); err != nil {
		t.Skip("not a Debian machine: ", err)
	}
	formats := map[string]string{
		"debian.sources": "Types: deb\nURIs: http://mirror.example/debian\nSuites: trixie trixie-updates\nComponents: main\n",
		"debian.list":    "deb [arch=amd64,arm64] http://mirror.example/debian trixie main contrib\n",
	}
	for name, content := range formats {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			config := strings.NewReplacer("DIR", dir).Replace(`Dir::Etc::SourceList "/dev/null"; Dir::Etc::SourceParts "DIR/parts"; Dir::State::Lists "DIR/lists";`)
			if err := os.MkdirAll(filepath.Join(dir, "parts"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Join(dir, "lists", "partial"), 0o755); err != nil {
				t.Fatal(err)
			}
			for file, text := range map[string]string{"apt.conf": config, "parts/" + name: content} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("APT_CONFIG", filepath.Join(dir, "apt.conf"))
			if got, err := mirror(context.Background()); got != "http://mirror.example/debian/" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

func TestPackageNames(t *testing.T) {
	const printed = `Reading package lists...
'http://mirror/pool/z/zlib1g_1.2.13_amd64.deb' zlib1g_1%3a1.2.13.dfsg-1_amd64.deb 86684 MD5Sum:ec42
'http://mirror/pool/v/valkey-server_8.0.1_amd64.deb' valkey-server_8.0.1+dfsg1-1~bpo12+1_amd64.deb 56356 
`
	if got, want := packageNames(printed), []string{"zlib1g", "valkey-server"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestUpstream(t *testing.T) {
	for debian, want := range map[string]string{
		"9.1.2-1":               "9.1.2",
		"8.0.1+dfsg1-1~bpo12+1": "8.0.1",
		"1:9.2.0~rc1-1":         "9.2.0",
		"8.1.1+dfsg1-3+deb13u1": "8.1.1",
		"unreadable":            "",
	} {
		if got := upstream(debian); got != want {
			t.Errorf("upstream(%q) = %q, want %q", debian, got, want)
		}
	}
}

func TestInstallOnlyPackagesAreLeftOut(t *testing.T) {
	for name, out := range map[string]bool{
		"systemd": true, "systemd-sysv": true, "libpam0g": true, "perl-base": true, "libtext-glob-perl": true, "dpkg": true,
		"libsystemd0": false, "libc6": false, "valkey-server": false, "libssl3": false, "busybox-static": false, "libcap2": false,
	} {
		if got := installOnly.MatchString(name); got != out {
			t.Errorf("%s left out: %v, want %v", name, got, out)
		}
	}
}

func TestSourcesPreferTheLastSuite(t *testing.T) {
	suites := []string{"bookworm", "bookworm-backports"}
	if got := strings.Count(sourcesList("http://mirror/debian/", suites), "http://mirror/debian/ bookworm"); got != 2 {
		t.Errorf("%d lines, want 2", got)
	}
	if got := configuration("/x", "bookworm-backports"); !strings.Contains(got, `APT::Default-Release "bookworm-backports";`) {
		t.Errorf("no default release in %s", got)
	}
}
