package binaries

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// runtimePackages are what a running cluster calls: ip for its networks, nft
// for kube-proxy, mount for the kubelet.
var runtimePackages = []string{"iproute2", "nftables", "mount"}

// cgoPackages are what runc is compiled and linked with, and the pause program.
var cgoPackages = []string{"gcc", "libc6-dev", "pkg-config", "libseccomp-dev"}

// installPackages installs the Debian packages that are missing.
func installPackages(ctx context.Context, cgo bool, say Say) error {
	wanted := runtimePackages
	if cgo {
		wanted = append(cgoPackages[:len(cgoPackages):len(cgoPackages)], wanted...)
	}
	missing := missingPackages(ctx, wanted)
	if len(missing) == 0 {
		return nil
	}
	list := strings.Join(missing, " ")
	if os.Geteuid() != 0 {
		return fmt.Errorf("Debian packages are missing; as root: apt-get install --no-install-recommends %s", list)
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

func missingPackages(ctx context.Context, wanted []string) []string {
	var missing []string
	for _, name := range wanted {
		status, err := exec.CommandContext(ctx, "dpkg-query", "-W", "-f", "${db:Status-Abbrev}", name).Output()
		if err != nil || !strings.HasPrefix(string(status), "ii") {
			missing = append(missing, name)
		}
	}
	return missing
}

func apt(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, "apt-get", args...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("apt-get %s: %w\n%s", args[0], err, out)
	}
	return nil
}
