package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestConfigurationIsFilledIn(t *testing.T) {
	c := &Cluster{Name: "a", dir: t.TempDir()}
	n := &nodeInit{Cluster: c, node: 2}
	for _, dir := range []string{"etc", "node2/cni"} {
		if err := os.MkdirAll(c.path(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.writeControlPlaneConfig(); err != nil {
		t.Fatal(err)
	}
	if err := n.writeConfig(Spec{Runc: "/bin/runc", CNIDir: "/cni", PauseRef: "local/pause:1"}); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"etc/Corefile":            "bind 172.30.0.1",
		"etc/resolv.conf":         "nameserver 172.30.0.1",
		"etc/storage.yaml":        "metadata: {name: gp3}",
		"node2/containerd.toml":   "BinaryName = '/bin/runc'",
		"node2/kubelet.yaml":      "cgroupRoot: /testbed-a/node2",
		"node2/proxy.yaml":        "bindAddress: 172.30.0.2",
		"node2/cni/pods.conflist": `"subnet": "10.244.2.0/24"`,
	} {
		text, err := os.ReadFile(c.path(file))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), want) || strings.Contains(string(text), "{{") {
			t.Errorf("%s: want %q and nothing to fill in, have\n%s", file, want, text)
		}
	}
}

func TestMissingValueIsAnError(t *testing.T) {
	err := writeConfig(filepath.Join(t.TempDir(), "x"), "Corefile", map[string]string{"Address": "172.30.0.1"})
	if err == nil {
		t.Error("a configuration with holes was written")
	}
}
