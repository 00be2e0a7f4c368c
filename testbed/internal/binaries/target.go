package binaries

import (
	"fmt"
	"strings"
)

// A target is one run of `go build` and what comes out of it.
type target struct {
	name     string
	packages []string
	aliases  []string // names by which the one binary is called as well
	tags     string
	ldflags  string
	cgo      bool
}

const (
	containerd = "github.com/containerd/containerd/v2"
	cniPlugins = "github.com/containernetworking/plugins"
	runc       = "github.com/opencontainers/runc"
	kubernetes = "k8s.io/kubernetes"
)

// targets lists everything a cluster runs, for the module versions of a go.mod.
func targets(gomod string) []target {
	kube := moduleVersion(gomod, kubernetes)
	return []target{
		{
			name:     "hyperkube",
			packages: []string{"./cmd/hyperkube"},
			aliases: []string{
				"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "kubelet", "kubectl",
			},
			ldflags: kubernetesVersion(kube),
		},
		{name: "clusterdns", packages: []string{"./cmd/clusterdns"}},
		{name: "localprovisioner", packages: []string{"./cmd/localprovisioner"}},
		{
			name:     "containerd",
			packages: []string{containerd + "/cmd/containerd", containerd + "/cmd/ctr"},
			tags:     "urfave_cli_no_docs no_btrfs no_devmapper no_zfs no_tracing",
			ldflags:  "-X " + containerd + "/version.Version=" + moduleVersion(gomod, containerd),
		},
		{
			name:     "containerd-shim",
			packages: []string{containerd + "/cmd/containerd-shim-runc-v2"},
			tags:     "urfave_cli_no_docs no_grpc",
		},
		{
			name: "cni",
			packages: []string{
				cniPlugins + "/plugins/main/bridge", cniPlugins + "/plugins/main/loopback", cniPlugins + "/plugins/ipam/host-local",
			},
		},
		{
			name:     "runc",
			packages: []string{runc},
			tags:     "netgo osusergo seccomp",
			ldflags:  "-linkmode external -extldflags -static -X main.version=" + moduleVersion(gomod, runc),
			cgo:      true, // its first stage and libseccomp are C
		},
	}
}

// apiServerTargets are the targets that an API server without nodes needs.
var apiServerTargets = []string{"hyperkube"}

// kubernetesVersion stamps the version: with an empty one the components panic
// when they compare it with their feature gates.
func kubernetesVersion(version string) string {
	const pkg = "k8s.io/component-base/version"
	major, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	minor, _, _ := strings.Cut(rest, ".")
	return fmt.Sprintf("-X %[1]s.gitVersion=%[2]s -X %[1]s.gitMajor=%[3]s -X %[1]s.gitMinor=%[4]s -X %[1]s.gitTreeState=clean",
		pkg, version, major, minor)
}

// moduleVersion returns the version that a go.mod requires of a module, "" if
// it requires none.
func moduleVersion(gomod, module string) string {
	for line := range strings.Lines(gomod) {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(fields) >= 2 && fields[0] == module && strings.HasPrefix(fields[1], "v") {
			return fields[1]
		}
	}
	return ""
}
