package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Exec replaces this process by a command in the network of a node, where all
// addresses of the cluster answer: with its DNS server, KUBECONFIG set and the
// cluster's binaries on PATH. It returns only if that fails.
func (c *Cluster) Exec(node int, command []string) error {
	spec, err := c.up()
	if err != nil {
		return err
	}
	if node < 1 || node > spec.Nodes || !c.nodeRuns(node) {
		return fmt.Errorf("%s does not run", nodeName(node))
	}
	os.Setenv("KUBECONFIG", c.Kubeconfig())
	os.Setenv("KUBECACHEDIR", c.path("kubectl-cache")) // all clusters have the same address
	os.Setenv("PATH", strings.Join(spec.BinDirs, ":")+":"+os.Getenv("PATH"))
	file, err := exec.LookPath(command[0])
	if err != nil {
		return err
	}
	// The thread that executes the command carries its namespaces over to it.
	runtime.LockOSThread()
	return within(c.netns(node), func() error {
		if err := c.useClusterDNS(); err != nil {
			return err
		}
		return syscall.Exec(file, command, os.Environ())
	})
}

// useClusterDNS puts the cluster's DNS server in the place of the machine's,
// for the calling thread only.
func (c *Cluster) useClusterDNS() error {
	const resolvConf = "/etc/resolv.conf"
	if !isFile(resolvConf) {
		return nil
	}
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return err
	}
	return mounts(
		mount{target: "/", flags: unix.MS_PRIVATE | unix.MS_REC},
		mount{source: c.path("etc", "resolv.conf"), target: resolvConf, flags: unix.MS_BIND},
	)
}

// binary returns the path of one of the cluster's binaries.
func (s Spec) binary(name string) string {
	for _, dir := range s.BinDirs {
		if path := filepath.Join(dir, name); isFile(path) {
			return path
		}
	}
	return name
}
