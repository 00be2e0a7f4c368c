package cluster

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// NodeCommand and InitCommand are the hidden commands by which the testbed
// starts itself in new namespaces, as [RunNode] and [RunInit].
const (
	InitCommand = "internal-init"
	NodeCommand = "internal-node"
)

// RunNode is the first process of a node's process namespace: it runs
// containerd, kubelet and kube-proxy. apiReady is at its end when the API
// server is ready. RunNode never returns unless the start fails.
func RunNode(stateDir, number string, apiReady io.Reader) error {
	node, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	n := &nodeInit{
		Cluster:  &Cluster{Name: filepath.Base(stateDir), dir: stateDir},
		node:     node,
		children: newChildren(),
	}
	if err := n.start(apiReady); err != nil {
		return fmt.Errorf("%s: %w", nodeName(node), err)
	}
	select {}
}

type nodeInit struct {
	*Cluster
	node     int
	children *children
}

// nodeDir returns the folder of a node's state.
func (c *Cluster) nodeDir(node int) string { return c.path(nodeName(node)) }

// containerd returns the socket of a node's container runtime.
func (c *Cluster) containerd(node int) string { return c.path(nodeName(node), "containerd.sock") }

func (n *nodeInit) start(apiReady io.Reader) error {
	spec, err := n.spec()
	if err != nil {
		return err
	}
	if err := n.makeFolders(); err != nil {
		return err
	}
	if err := hold(n.nodeLease(n.node)); err != nil {
		return err
	}
	if err := unix.Sethostname([]byte(nodeName(n.node))); err != nil {
		return err
	}
	if err := n.mount(); err != nil {
		return err
	}
	if err := n.writeConfig(spec); err != nil {
		return err
	}
	if err := n.startRuntime(spec); err != nil {
		return err
	}
	if _, err := io.ReadAll(apiReady); err != nil {
		return err
	}
	return n.startAgents()
}

func (n *nodeInit) makeFolders() error {
	for _, name := range []string{"cgroup", "cni", "kernel", "kubelet", "pods", "volumes"} {
		if err := os.MkdirAll(filepath.Join(n.nodeDir(n.node), name), 0o755); err != nil {
			return err
		}
	}
	return os.MkdirAll(cniResults, 0o755)
}

// cniResults is a folder that the CNI library writes to whatever it is told.
const cniResults = "/var/lib/cni"

// mount gives the node a /proc and /sys that show its own processes and
// interfaces, and empty folders where its programs would write to the
// machine's. The kubelet wants all mounts shared; the machine's cgroups must be
// moved into the new /sys before that, for a shared mount cannot be moved.
func (n *nodeInit) mount() error {
	aside := filepath.Join(n.nodeDir(n.node), "cgroup")
	list := []mount{
		{source: "proc", target: "/proc", kind: "proc"},
		{source: machineCgroups.root, target: aside, flags: unix.MS_BIND | unix.MS_REC},
		{source: "sysfs", target: "/sys", kind: "sysfs"},
		{source: aside, target: machineCgroups.root, flags: unix.MS_MOVE},
	}
	for _, dir := range []string{"/run", "/var/log", cniResults} {
		list = append(list, mount{source: "tmpfs", target: dir, kind: "tmpfs", options: "mode=0755"})
	}
	if err := mounts(append(list, mount{target: "/", flags: unix.MS_SHARED | unix.MS_REC})...); err != nil {
		return err
	}
	return n.shieldKernel()
}

// kernelSettings are those that a kubelet insists on. They are the whole
// machine's, and the testbed leaves the machine as it found it.
var kernelSettings = []string{
	"vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops", "kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes",
}

// shieldKernel puts plain files in the place of these settings, for the kubelet
// to write to.
func (n *nodeInit) shieldKernel() error {
	for _, setting := range kernelSettings {
		real := filepath.Join("/proc/sys", setting)
		value, err := os.ReadFile(real)
		if err != nil {
			return err
		}
		plain := filepath.Join(n.nodeDir(n.node), "kernel", strings.ReplaceAll(setting, "/", "."))
		if err := os.WriteFile(plain, value, 0o644); err != nil {
			return err
		}
		if err := mounts(mount{source: plain, target: real, flags: unix.MS_BIND}); err != nil {
			return err
		}
	}
	return nil
}

func (n *nodeInit) writeConfig(spec Spec) error {
	dir := n.nodeDir(n.node)
	data := map[string]string{
		"Name":            nodeName(n.node),
		"Dir":             dir,
		"Address":         nodeAddress(n.node),
		"PodSubnet":       nodePodSubnet(n.node),
		"AllPods":         podSubnet,
		"DNS":             controlPlaneAddress,
		"Domain":          clusterDomain,
		"PKI":             n.path("pki"),
		"ResolvConf":      os.DevNull, // pods ask the cluster's DNS server only
		"ProxyKubeconfig": n.path("etc", "proxy.kubeconfig"),
		"Socket":          n.containerd(n.node),
		"CgroupRoot":      "/" + n.nodeCgroup(n.node),
		"PauseRef":        spec.PauseRef,
		"Runc":            spec.Runc,
		"CNIDir":          spec.CNIDir,
	}
	files := map[string]string{
		"containerd.toml": "containerd.toml",
		"kubelet.yaml":    "kubelet.yaml",
		"proxy.yaml":      "proxy.yaml",
		"pods.conflist":   "cni/pods.conflist",
	}
	for name, path := range files {
		if err := writeConfig(filepath.Join(dir, path), name, data); err != nil {
			return err
		}
	}
	return nil
}

func (n *nodeInit) supervise(name string, args ...string) error {
	return n.children.supervise(n.path("log", nodeName(n.node)+"-"+name+".log"), name, args...)
}

// startRuntime starts containerd and gives it the images.
func (n *nodeInit) startRuntime(spec Spec) error {
	if err := n.supervise("containerd", "--config", filepath.Join(n.nodeDir(n.node), "containerd.toml")); err != nil {
		return err
	}
	err := waitFor("containerd", func() error {
		if !n.children.run(exec.Command("ctr", "--address", n.containerd(n.node), "version")) {
			return fmt.Errorf("no answer on %s", n.containerd(n.node))
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, archive := range spec.Archives {
		cmd := exec.Command("ctr", importArgs(n.containerd(n.node), archive)...)
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if !n.children.run(cmd) {
			return fmt.Errorf("cannot import %s", archive)
		}
	}
	return nil
}

func (n *nodeInit) startAgents() error {
	dir := n.nodeDir(n.node)
	if err := n.supervise("kubelet",
		"--config="+filepath.Join(dir, "kubelet.yaml"),
		"--kubeconfig="+n.path("etc", nodeName(n.node)+".kubeconfig"),
		"--hostname-override="+nodeName(n.node),
		"--node-ip="+nodeAddress(n.node),
		"--root-dir="+filepath.Join(dir, "kubelet"),
		"--cert-dir="+filepath.Join(dir, "kubelet", "pki"),
		"--node-labels=topology.kubernetes.io/zone="+fmt.Sprintf("zone%d", n.node),
		"-v=2",
	); err != nil {
		return err
	}
	return n.supervise("kube-proxy", "--config="+filepath.Join(dir, "proxy.yaml"))
}
