package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// cgroups is where the machine's control groups are mounted. In version 2
// there is one tree; in version 1 a tree for each controller.
type cgroups struct{ root string }

var machineCgroups = cgroups{"/sys/fs/cgroup"}

// cgroup returns the path of the group above all of the cluster's pods.
func (c *Cluster) cgroup() string { return "testbed-" + c.Name }

// nodeCgroup returns the path of the group above the pods of a node.
func (c *Cluster) nodeCgroup(node int) string { return filepath.Join(c.cgroup(), nodeName(node)) }

func (g cgroups) unified() bool { return isFile(filepath.Join(g.root, "cgroup.controllers")) }

// trees returns the root folder of each tree of groups.
func (g cgroups) trees() ([]string, error) {
	if g.unified() {
		return []string{g.root}, nil
	}
	entries, err := os.ReadDir(g.root)
	if err != nil {
		return nil, err
	}
	var trees []string
	for _, entry := range entries { // not links such as cpu -> cpu,cpuacct
		if dir := filepath.Join(g.root, entry.Name()); entry.IsDir() && isFile(filepath.Join(dir, "cgroup.procs")) {
			trees = append(trees, dir)
		}
	}
	if len(trees) == 0 {
		return nil, fmt.Errorf("no cgroups are mounted at %s", g.root)
	}
	return trees, nil
}

// make makes a group in every tree, fit to hold groups of pods.
func (g cgroups) make(path string) error {
	trees, err := g.trees()
	if err != nil {
		return err
	}
	for _, tree := range trees {
		dir := tree
		for name := range strings.SplitSeq(path, "/") {
			parent := dir
			dir = filepath.Join(dir, name)
			if err := g.prepare(parent, dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// prepare makes one group and what its version does not do by itself: in
// version 2 a parent must hand down its controllers, in version 1 a new cpuset
// is empty, and nothing could run in it.
func (g cgroups) prepare(parent, dir string) error {
	if g.unified() {
		if err := handDown(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !os.IsExist(err) {
		return err
	}
	for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
		if g.unified() || !isFile(filepath.Join(parent, file)) {
			continue
		}
		value, err := os.ReadFile(filepath.Join(parent, file))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, file), value, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// wantedControllers are those that the kubelet insists on.
var wantedControllers = []string{"cpu", "cpuset", "memory", "pids"}

// handDown lets the groups below a group of version 2 use its controllers.
func handDown(dir string) error {
	available, err := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	if err != nil {
		return err
	}
	for controller := range strings.FieldsSeq(string(available)) {
		err := os.WriteFile(filepath.Join(dir, "cgroup.subtree_control"), []byte("+"+controller), 0o644)
		if err != nil && slices.Contains(wantedControllers, controller) {
			return fmt.Errorf("hand controller %s down from %s: %w", controller, dir, err)
		}
	}
	return nil
}

// remove removes a group and all below it. Processes that were just killed may
// take a moment to leave.
func (g cgroups) remove(path string) error {
	trees, err := g.trees()
	if err != nil {
		return err
	}
	for _, tree := range trees {
		if err := removeGroups(filepath.Join(tree, path)); err != nil {
			return err
		}
	}
	return nil
}

func removeGroups(dir string) error {
	return retry(5*time.Second, func() error {
		var groups []string
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() {
				groups = append(groups, path)
			}
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		})
		if err != nil {
			return err
		}
		for _, group := range slices.Backward(groups) {
			if err := syscall.Rmdir(group); err != nil && err != syscall.ENOENT {
				return fmt.Errorf("remove cgroup %s: %w", group, err)
			}
		}
		return nil
	})
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// retry calls f until it succeeds, for at most the given time.
func retry(limit time.Duration, f func() error) error {
	deadline := time.Now().Add(limit)
	for {
		err := f()
		if err == nil || time.Now().After(deadline) {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}
