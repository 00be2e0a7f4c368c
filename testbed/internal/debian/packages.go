// Package debian installs the Debian packages that the testbed relies on, if
// the machine lacks them.
package debian

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Runtime are what a running cluster calls: ip for its networks, modprobe for
// their kernel modules, nft for kube-proxy, mount for the kubelet.
var Runtime = []string{"iproute2", "kmod", "mount", "nftables"}

// Compiler are what runc and the pause program are compiled and linked with.
var Compiler = []string{"gcc", "libc6-dev", "libseccomp-dev", "pkgconf"}

// Install installs those of the packages that are missing, and says so. It
// needs root only then.
func Install(ctx context.Context, packages []string, say func(string, ...any)) error {
	missing := missing(ctx, packages)
	if len(missing) == 0 {
		return nil
	}
	list := strings.Join(missing, " ")
	if os.Geteuid() != 0 {
		return fmt.Errorf("packages are missing; as root: apt-get install --no-install-recommends %s", list)
	}
	say("installing Debian packages: %s", list)
	install := append([]string{"install", "-y", "-q", "--no-install-recommends"}, missing...)
	if apt(ctx, install...) == nil {
		return nil
	}
	// A fresh machine has no package lists, or old ones.
	if err := apt(ctx, "update", "-q"); err != nil {
		return err
	}
	return apt(ctx, install...)
}

// missing asks dpkg. It fails if it has never heard of one of the packages, and
// prints what it knows of the others.
func missing(ctx context.Context, packages []string) []string {
	out, _ := exec.CommandContext(ctx, "dpkg-query",
		append([]string{"-W", "-f", "${Package} ${db:Status-Abbrev}\n"}, packages...)...).Output()
	return notInstalled(string(out), packages)
}

// notInstalled reads lines of "PACKAGE STATE", of which "ii" is installed.
func notInstalled(states string, packages []string) []string {
	installed := map[string]bool{}
	for line := range strings.Lines(states) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[1] == "ii" {
			installed[fields[0]] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(packages), func(name string) bool { return installed[name] })
}

func apt(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, "apt-get", args...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("apt-get %s: %w\n%s", args[0], err, out)
	}
	return nil
}
