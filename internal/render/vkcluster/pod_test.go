package vkcluster

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/valkeytest"
)

// latest is the version that our own default image has.
const latest = "9.1"

// image is what a container's image has.
type image struct {
	valkeytest.Binary
	shell []string // what /bin/sh is
}

// eachImage runs test as a subtest for images of each version that are made of
// Debian's packages, and for one that is made of BusyBox: what servers answer
// depends on the version, how scripts run on the tools.
func eachImage(t *testing.T, test func(t *testing.T, img image)) {
	t.Helper()
	run := func(name, version string, shell ...string) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newImage(t, version, shell...))
		})
	}
	for _, version := range valkeytest.Versions {
		run(version, version, "dash")
	}
	run("busybox", latest, "busybox", "sh")
}

func newImage(t *testing.T, version string, shell ...string) image {
	t.Helper()
	path, err := exec.LookPath(shell[0])
	if err != nil {
		t.Fatalf("the scripts cannot be tested: %v", err)
	}
	return image{valkeytest.Find(t, version), append([]string{path}, shell[1:]...)}
}

// pod is the file system and the environment that scripts find in the pod of a
// server.
type pod struct {
	t      *testing.T
	img    image
	dir    string // with scripts, secrets, and the programs of the image
	server *valkeytest.Server
}

// newPod lays out the files for the scripts, beside a server that runs.
func newPod(t *testing.T, img image, server *valkeytest.Server, p Passwords) *pod {
	t.Helper()
	here := &pod{t: t, img: img, dir: t.TempDir(), server: server}
	for _, path := range []string{probeScript, preStopScript, successionScript, "bin/" + loginScript} {
		_, body, _ := strings.Cut(script(path), "\n")
		here.write("scripts/"+path, "#!"+strings.Join(img.shell, " ")+"\n"+body)
	}
	here.write("secrets/"+userPod, p.of(userPod))
	here.write("secrets/"+userDefault, p.of(userDefault))
	here.write("image/valkey-cli", "#!/bin/sh\nexec "+strings.Join(img.CLI(), " ")+` "$@"`+"\n")
	if filepath.Base(img.shell[0]) == "busybox" {
		for _, tool := range []string{"sleep", "timeout"} {
			if err := os.Symlink(img.shell[0], filepath.Join(here.dir, "image", tool)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return here
}

func (p *pod) write(path, content string) {
	p.t.Helper()
	path = filepath.Join(p.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	// A process that another test forks meanwhile would have the file open for
	// writing, and the kernel runs no such file.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		p.t.Fatal(err)
	}
}

// run executes a command as in the server container, with more environment,
// and returns what it printed and whether it succeeded.
func (p *pod) run(more []string, command ...string) (string, bool) {
	p.t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append([]string{
		"PATH=" + filepath.Join(p.dir, "scripts/bin") + ":" + filepath.Join(p.dir, "image") + ":" + os.Getenv("PATH"),
		"VALKEY_SECRETS=" + filepath.Join(p.dir, "secrets"),
		"VALKEY_LOG=" + filepath.Join(p.dir, "log"),
		"VALKEY_HOST=" + p.server.Addr().Addr().String(),
		"VALKEY_DATA=" + p.server.Dir(),
	}, more...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	return strings.TrimSpace(out.String()), err == nil
}

// script runs one of the scripts in the way that probes and hooks do.
func (p *pod) script(name string, args ...string) (string, bool) {
	p.t.Helper()
	command := append(slices.Clone(p.img.shell), filepath.Join(p.dir, "scripts", name))
	return p.run(nil, append(command, args...)...)
}

// cli runs valkey-cli as a person in the pod would.
func (p *pod) cli(args ...string) string {
	p.t.Helper()
	said, _ := p.run(nil, append([]string{"env", "valkey-cli", "-h", p.server.Addr().Addr().String()}, args...)...)
	return said
}

// log is what the pre-stop hook has written to the container's log.
func (p *pod) log() string {
	text, err := os.ReadFile(filepath.Join(p.dir, "log"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		p.t.Fatal(err)
	}
	return string(text)
}

// closed are the options of servers with the users of a cluster. The test
// itself logs in as the user default.
func closed(p Passwords, settings ...string) valkeytest.Options {
	return valkeytest.Options{
		Settings: append([]string{
			"aclfile users.acl",
			"primaryuser " + userReplication,
			"primaryauth " + p.of(userReplication),
			"cluster-allow-replica-migration no",
		}, settings...),
		Files:       map[string]string{"users.acl": aclFile(p)},
		Credentials: valkey.Credentials{Username: userDefault, Password: valkey.NewPassword(p.of(userDefault))},
	}
}
