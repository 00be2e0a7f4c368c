package cluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// makeNetworks makes a network namespace for each node. They meet on a bridge,
// node0, in the namespace of node 1; nothing leads out of them.
func (c *Cluster) makeNetworks(ctx context.Context, nodes int) error {
	loadModules(ctx)
	for node := 1; node <= nodes; node++ {
		if err := ipNetns(ctx, "add", c.netns(node)); err != nil {
			return err
		}
		if err := c.plug(ctx, node); err != nil {
			return err
		}
		if err := ip(ctx, c.netns(node), routes(node, nodes)); err != nil {
			return err
		}
		if err := within(c.netns(node), forwardPackets); err != nil {
			return err
		}
	}
	return nil
}

// loadModules loads what kube-proxy and containerd rely on. It may fail: the
// modules may be built into the kernel; what is missing shows later.
func loadModules(ctx context.Context) {
	_ = exec.CommandContext(ctx, "modprobe", "--all", "--quiet", "br_netfilter", "overlay", "nf_tables", "nf_conntrack").Run()
}

// plug gives a node its interface node0: the bridge itself on node 1, the end
// of a cable to it on the others.
func (c *Cluster) plug(ctx context.Context, node int) error {
	if node == 1 {
		return ip(ctx, c.netns(1), "link add node0 type bridge\n")
	}
	commands := fmt.Sprintf("link add %[1]s type veth peer name node0 netns %[2]s\nlink set %[1]s master node0 up\n",
		uplink(node), c.netns(node))
	return ip(ctx, c.netns(1), commands)
}

// routes addresses a node and leads to the pods of all others.
func routes(node, nodes int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "link set lo up\naddr add %s/24 dev node0\nlink set node0 up\nroute add default via %s dev node0\n",
		nodeAddress(node), routerAddress)
	for other := 1; other <= nodes; other++ {
		if other != node {
			fmt.Fprintf(&b, "route add %s via %s dev node0\n", nodePodSubnet(other), nodeAddress(other))
		}
	}
	return b.String()
}

// forwardPackets sets what a node needs in the namespace of the calling thread.
// Without the bridge setting a pod cannot reach itself through a Service.
func forwardPackets() error {
	settings := []struct{ file, value string }{
		{"/proc/sys/net/ipv4/ip_forward", "1"},
		{"/proc/sys/net/ipv4/conf/all/rp_filter", "0"},
		{"/proc/sys/net/bridge/bridge-nf-call-iptables", "1"},
	}
	for _, s := range settings {
		if err := os.WriteFile(s.file, []byte(s.value), 0); err != nil {
			return fmt.Errorf("%w (does the kernel have br_netfilter?)", err)
		}
	}
	return nil
}
