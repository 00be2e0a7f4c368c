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

// Cut pulls the cables of nodes: they run on and reach nobody else, and nobody
// else them. Several nodes that are cut off by one call still see each other.
func (c *Cluster) Cut(ctx context.Context, nodes ...string) error {
	numbers, err := c.workers(nodes)
	if err != nil {
		return err
	}
	if len(numbers) == 1 {
		return ip(ctx, c.netns(1), fmt.Sprintf("link set %s down\n", uplink(numbers[0])))
	}
	var commands strings.Builder
	if exec.CommandContext(ctx, "ip", "-netns", c.netns(1), "link", "show", island).Run() != nil {
		fmt.Fprintf(&commands, "link add %s type bridge\n", island)
	}
	fmt.Fprintf(&commands, "link set %s up\n", island)
	for _, number := range numbers {
		fmt.Fprintf(&commands, "link set %s master %s up\n", uplink(number), island)
	}
	return ip(ctx, c.netns(1), commands.String())
}

// island is a bridge in the namespace of node 1 without an address, on which
// nodes that were cut off together meet. There is only one.
const island = "island0"

// Heal plugs the cables of nodes in again.
func (c *Cluster) Heal(ctx context.Context, nodes ...string) error {
	numbers, err := c.workers(nodes)
	if err != nil {
		return err
	}
	var commands strings.Builder
	for _, number := range numbers {
		fmt.Fprintf(&commands, "link set %s master node0 up\n", uplink(number))
	}
	return ip(ctx, c.netns(1), commands.String())
}

// Kill loses a machine for good: all its processes end at once, its network is
// gone, and it does not come back. Kubernetes is told nothing.
func (c *Cluster) Kill(ctx context.Context, nodes ...string) error {
	numbers, err := c.workers(nodes)
	if err != nil {
		return err
	}
	for _, number := range numbers {
		if err := c.kill(ctx, number); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) kill(ctx context.Context, number int) error {
	// First the cable: the last words of a dying process must not get out.
	if err := ip(ctx, c.netns(1), fmt.Sprintf("link del %s\n", uplink(number))); err != nil {
		return err
	}
	if err := killHolder(c.nodeLease(number)); err != nil {
		return err
	}
	return removeNetns(ctx, c.netns(number))
}

// workers returns the numbers of nodes that run and may be harmed.
func (c *Cluster) workers(nodes []string) ([]int, error) {
	var numbers []int
	for _, node := range nodes {
		number, err := c.worker(node)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, number)
	}
	return numbers, nil
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
	return err == nil && unplugged(string(out))
}

// unplugged tells from a line about a node's cable whether it leads nowhere, or
// to an island.
func unplugged(line string) bool {
	return !slices.Contains(linkFlags(line), "UP") || strings.Contains(line, " master "+island+" ")
}

// linkFlags reads "7: tonode2@if2: <BROADCAST,MULTICAST,UP> mtu 1500 ...".
func linkFlags(line string) []string {
	_, rest, _ := strings.Cut(line, "<")
	flags, _, _ := strings.Cut(rest, ">")
	return strings.Split(flags, ",")
}
