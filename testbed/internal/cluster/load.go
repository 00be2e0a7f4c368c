package cluster

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// Load imports an image archive into every node that runs.
func (c *Cluster) Load(ctx context.Context, archive string) error {
	spec, err := c.up()
	if err != nil {
		return err
	}
	if archive, err = filepath.Abs(archive); err != nil {
		return err
	}
	failures := make([]error, spec.Nodes)
	var all sync.WaitGroup
	for node := 1; node <= spec.Nodes; node++ {
		if !c.nodeRuns(node) {
			continue
		}
		all.Go(func() { failures[node-1] = c.loadInto(ctx, spec, node, archive) })
	}
	all.Wait()
	return errors.Join(failures...)
}

func (c *Cluster) loadInto(ctx context.Context, spec Spec, node int, archive string) error {
	cmd := exec.CommandContext(ctx, spec.binary("ctr"), importArgs(c.containerd(node), archive)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: import %s: %w: %s", nodeName(node), archive, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// importArgs are the arguments of ctr. Names without a registry are completed
// by it as the kubelet completes those of pods, so that both mean the same.
func importArgs(socket, archive string) []string {
	return []string{"--address", socket, "--namespace", "k8s.io", "images", "import", "--local=true", archive}
}
