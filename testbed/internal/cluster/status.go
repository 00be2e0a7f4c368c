package cluster

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
)

// WriteStatus tells a person what runs and where its files are.
func (c *Cluster) WriteStatus(ctx context.Context, w io.Writer) error {
	spec, err := c.up()
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "cluster\t%s\nkubeconfig\t%s\naudit log\t%s\nlogs\t%s\nnetwork namespace\t%s\n\n",
		c.Name, c.Kubeconfig(), c.AuditLog(), c.Logs(), c.netns(1))
	fmt.Fprintf(table, "NODE\tADDRESS\tPODS\tSTATE\n")
	for node := 1; node <= spec.Nodes; node++ {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", nodeName(node), nodeAddress(node), nodePodSubnet(node), c.nodeState(ctx, node))
	}
	return table.Flush()
}

func (c *Cluster) nodeState(ctx context.Context, node int) string {
	switch {
	case !c.nodeRuns(node):
		return "killed"
	case c.cut(ctx, node):
		return "cut off"
	default:
		return "running"
	}
}
