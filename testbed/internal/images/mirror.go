package images

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

var errNoMirror = errors.New("apt knows no Debian archive (component main of a release); see /etc/apt/sources.list.d")

// mirror returns the address of the Debian archive that this machine's apt
// uses. apt itself reads its configuration, whichever way that is written.
func mirror(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "apt-get", "indextargets", "--no-release-info",
		"--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)", "Created-By: Packages").Output()
	if err != nil {
		return "", fmt.Errorf("apt-get indextargets: %w", err)
	}
	return archiveOf(string(out))
}

// archiveOf chooses from lines of "URI RELEASE COMPONENT" the archive that
// holds whole releases: security and update archives have parts only, third
// parties have neither Debian's suites nor its component main.
func archiveOf(targets string) (string, error) {
	for line := range strings.Lines(targets) {
		fields := strings.Fields(line)
		if len(fields) == 3 && fields[2] == "main" && wholeRelease(fields[1]) {
			return fields[0], nil
		}
	}
	return "", errNoMirror
}

// releases are the suites and code names of whole releases, current ones.
var releases = []string{
	"bookworm", "trixie", "forky", "duke", "sid",
	"oldstable", "stable", "testing", "unstable",
}

func wholeRelease(name string) bool {
	for _, r := range releases {
		if name == r {
			return true
		}
	}
	return false
}
