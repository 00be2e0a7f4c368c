package cluster

import "fmt"

// Every cluster has the same addresses: they are used in its own network
// namespaces only, so that clusters never meet.
const (
	controlPlaneAddress = "172.30.0.1" // node1's, also the DNS server's
	apiServerURL        = "https://" + controlPlaneAddress + ":6443"
	routerAddress       = "172.30.0.254" // nothing is there; some programs want a default route
	serviceSubnet       = "10.96.0.0/16"
	apiServiceAddress   = "10.96.0.1"
	podSubnet           = "10.244.0.0/16"
	clusterDomain       = "cluster.local"
)

func nodeName(node int) string      { return fmt.Sprintf("node%d", node) }
func nodeAddress(node int) string   { return fmt.Sprintf("172.30.0.%d", node) }
func nodePodSubnet(node int) string { return fmt.Sprintf("10.244.%d.0/24", node) }

// netns returns the name of a node's network namespace. Node 1 shares its own
// with the control plane.
func (c *Cluster) netns(node int) string {
	if node == 1 {
		return c.netnsPrefix()
	}
	return fmt.Sprintf("%s-n%d", c.netnsPrefix(), node)
}

func (c *Cluster) netnsPrefix() string { return "testbed-" + c.Name }

// uplink is the end of a node's cable on the bridge in node 1's namespace.
func uplink(node int) string { return fmt.Sprintf("tonode%d", node) }
