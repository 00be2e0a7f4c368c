package cluster

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// Cut pulls the cable of a node: it runs on and reaches nobody, and nobody it.
func (c *Cluster) Cut(ctx context.Context, node string) error {
	return c.setUplink(ctx, node, "down")
}

// Heal plugs the cable of a node in again.
func (c *Cluster) Heal(ctx context.Context, node string) error {
	return c.setUplink(ctx, node, "up")
}

func (c *Cluster) setUplink(ctx context.Context, node, state string) error {
	number, err := c.worker(node)
	if err != nil {
		return err
	}
	return ip(ctx, c.netns(1), fmt.Sprintf("link set %s %s\n", uplink(number), state))
}

// Kill loses a machine for good: all its processes end at once, its network is
// gone, and it does not come back. Kubernetes is told nothing.
func (c *Cluster) Kill(ctx context.Context, node string) error {
	number, err := c.worker(node)
	if err != nil {
		return err
	}
	// First the cable: the last words of a dying process must not get out.
	if err := ip(ctx, c.netns(1), fmt.Sprintf("link del %s\n", uplink(number))); err != nil {
		return err
	}
	if err := killHolder(c.nodeLease(number)); err != nil {
		return err
	}
	return removeNetns(ctx, c.netns(number))
}

// worker returns the number of a node that runs and may be harmed.
func (c *Cluster) worker(node string) (int, error) {
	spec, err := c.up()
	if err != nil {
		return 0, err
	}
	number, err := strconv.Atoi(strings.TrimPrefix(node, "node"))
	switch {
	case err != nil || number < 1 || number > spec.Nodes:
		return 0, fmt.Errorf("no node %q: %s has node1 to node%d", node, c.Name, spec.Nodes)
	case number == 1:
		return 0, errors.New("node1 shares its network with the control plane: cut or kill another node (testbed up --nodes 3)")
	case !c.nodeRuns(number):
		return 0, fmt.Errorf("%s was killed; machines lost for good do not come back", node)
	}
	return number, nil
}

func (c *Cluster) nodeRuns(node int) bool {
	pid, err := holder(c.nodeLease(node))
	return err == nil && pid != 0
}

// cut tells whether the cable of a node is pulled.
func (c *Cluster) cut(ctx context.Context, node int) bool {
	if node == 1 {
		return false
	}
	out, err := exec.CommandContext(ctx, "ip", "-netns", c.netns(1), "-oneline", "link", "show", uplink(node)).Output()
	return err == nil && !slices.Contains(linkFlags(string(out)), "UP")
}

// linkFlags reads "7: tonode2@if2: <BROADCAST,MULTICAST,UP> mtu 1500 ...".
func linkFlags(line string) []string {
	_, rest, _ := strings.Cut(line, "<")
	flags, _, _ := strings.Cut(rest, ">")
	return strings.Split(flags, ",")
}
