package cluster

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// fake makes a folder with the given files, as a cgroup mount shows them.
func fake(t *testing.T, files map[string]string) cgroups {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return cgroups{root}
}

func (g cgroups) file(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(g.root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestVersion1HasATreeForEachController(t *testing.T) {
	g := fake(t, map[string]string{"cpu,cpuacct/cgroup.procs": "", "memory/cgroup.procs": "", "stray/file": ""})
	if err := os.Symlink("cpu,cpuacct", filepath.Join(g.root, "cpu")); err != nil {
		t.Fatal(err)
	}
	trees, err := g.trees()
	want := []string{filepath.Join(g.root, "cpu,cpuacct"), filepath.Join(g.root, "memory")}
	if err != nil || !slices.Equal(trees, want) {
		t.Errorf("trees %v, %v; want %v", trees, err, want)
	}
	if err := g.make("testbed-x/node1"); err != nil {
		t.Fatal(err)
	}
	for _, tree := range trees {
		if info, err := os.Stat(filepath.Join(tree, "testbed-x/node1")); err != nil || !info.IsDir() {
			t.Errorf("no group in %s: %v", tree, err)
		}
	}
	if err := g.remove("testbed-x"); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(g.root, "*", "testbed-x")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := g.remove("testbed-x"); err != nil {
		t.Errorf("removing what is not there: %v", err)
	}
}

func TestVersion1CpusetIsInherited(t *testing.T) {
	g := fake(t, map[string]string{"cpuset/cgroup.procs": "", "cpuset/cpuset.cpus": "0-3\n", "cpuset/cpuset.mems": "0\n"})
	if err := g.make("testbed-x/node1"); err != nil {
		t.Fatal(err)
	}
	if got := g.file(t, "cpuset/testbed-x/node1/cpuset.cpus"); got != "0-3\n" {
		t.Errorf("processors %q, want those of the parent", got)
	}
}

func TestVersion2HandsControllersDown(t *testing.T) {
	g := fake(t, map[string]string{
		"cgroup.controllers": "memory\n", "cgroup.procs": "", "cgroup.subtree_control": "",
		"testbed-x/cgroup.controllers": "memory\n", "testbed-x/cgroup.subtree_control": "",
		"cpuset.cpus": "0-3\n", // must not be written below: empty means all there
	})
	if err := g.make("testbed-x/node1"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cgroup.subtree_control", "testbed-x/cgroup.subtree_control"} {
		if got := g.file(t, name); got != "+memory" {
			t.Errorf("%s: %q, want +memory", name, got)
		}
	}
	if isFile(filepath.Join(g.root, "testbed-x/cpuset.cpus")) {
		t.Error("processors were pinned")
	}
	if trees, err := g.trees(); err != nil || !slices.Equal(trees, []string{g.root}) {
		t.Errorf("trees %v, %v; want the one", trees, err)
	}
}

func TestNoCgroupsIsAnError(t *testing.T) {
	if _, err := fake(t, nil).trees(); err == nil {
		t.Error("no error where nothing is mounted")
	}
}
