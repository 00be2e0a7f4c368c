package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/valkey-operator/valkey-operator/testbed/internal/cluster"
	"github.com/valkey-operator/valkey-operator/testbed/internal/debian"
	"github.com/valkey-operator/valkey-operator/testbed/internal/images"
)

// The commands in this file work with a cluster.

// parse reads flags that name the cluster, and exactly n arguments (any number
// if n is negative).
func (tb *testbed) parse(args []string, n int) (*cluster.Cluster, []string, error) {
	flags, name := tb.flags()
	if err := flags.Parse(args); err != nil {
		return nil, nil, err
	}
	if n >= 0 && flags.NArg() != n {
		return nil, nil, fmt.Errorf("usage: testbed %s %s", tb.command.name, tb.command.args)
	}
	c, err := cluster.New(tb.cacheDir, *name)
	return c, flags.Args(), err
}

func runUp(ctx context.Context, tb *testbed, args []string) error {
	flags, name := tb.flags()
	nodes := flags.Int("nodes", 1, "number of nodes; node1 hosts the control plane too")
	if err := flags.Parse(args); err != nil {
		return err
	}
	c, err := cluster.New(tb.cacheDir, *name)
	if err != nil {
		return err
	}
	if tb.binaries.Missing() != "" {
		if err := tb.binaries.Build(ctx, tb.say); err != nil {
			return err
		}
	}
	if !tb.images.Complete() {
		if err := tb.images.Make(ctx, false, tb.say); err != nil {
			return err
		}
	}
	if err := debian.Install(ctx, debian.Runtime, tb.say); err != nil {
		return err
	}
	return c.Up(ctx, tb.spec(*nodes), tb.say)
}

func (tb *testbed) spec(nodes int) cluster.Spec {
	return cluster.Spec{
		Nodes:    nodes,
		BinDirs:  tb.binaries.Dirs(),
		CNIDir:   tb.binaries.Dir("cni"),
		Runc:     filepath.Join(tb.binaries.Dir("runc"), "runc"),
		PauseRef: images.PauseRef,
		Archives: tb.images.Archives(),
	}
}

func runDown(ctx context.Context, tb *testbed, args []string) error {
	c, _, err := tb.parse(args, 0)
	if err != nil {
		return err
	}
	return c.Down(ctx, tb.say)
}

func runLoad(ctx context.Context, tb *testbed, args []string) error {
	c, archives, err := tb.parse(args, -1)
	if err != nil {
		return err
	}
	if len(archives) == 0 {
		return errors.New("usage: testbed load ARCHIVE...")
	}
	for _, archive := range archives {
		if err := c.Load(ctx, archive); err != nil {
			return err
		}
		tb.say("%s loaded", filepath.Base(archive))
	}
	return nil
}

func runStatus(ctx context.Context, tb *testbed, args []string) error {
	c, _, err := tb.parse(args, 0)
	if err != nil {
		return err
	}
	return c.WriteStatus(ctx, os.Stdout)
}

func runKubeconfig(_ context.Context, tb *testbed, args []string) error {
	return tb.printPath(args, (*cluster.Cluster).Kubeconfig)
}

func runAuditLog(_ context.Context, tb *testbed, args []string) error {
	return tb.printPath(args, (*cluster.Cluster).AuditLog)
}

// printPath prints the path of a file of a cluster that was started.
func (tb *testbed) printPath(args []string, path func(*cluster.Cluster) string) error {
	c, _, err := tb.parse(args, 0)
	if err != nil {
		return err
	}
	if _, err := os.Stat(path(c)); err != nil {
		return fmt.Errorf("%s: %w", c.Name, cluster.ErrNotUp)
	}
	fmt.Println(path(c))
	return nil
}

func runExec(_ context.Context, tb *testbed, args []string) error {
	flags, name := tb.flags()
	node := flags.Int("node", 1, "number of the node in whose network the command runs")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("usage: testbed exec [--name CLUSTER] [--node N] -- COMMAND [ARG...]")
	}
	c, err := cluster.New(tb.cacheDir, *name)
	if err != nil {
		return err
	}
	return c.Exec(*node, flags.Args())
}

// runKubectl has no flags of its own: all are kubectl's.
func runKubectl(_ context.Context, tb *testbed, args []string) error {
	c, err := cluster.New(tb.cacheDir, defaultName())
	if err != nil {
		return err
	}
	return c.Exec(1, append([]string{"kubectl"}, args...))
}

func runCut(ctx context.Context, tb *testbed, args []string) error {
	return tb.harm(ctx, args, "cut off", (*cluster.Cluster).Cut)
}

func runHeal(ctx context.Context, tb *testbed, args []string) error {
	return tb.harm(ctx, args, "connected again", (*cluster.Cluster).Heal)
}

func runKillNode(ctx context.Context, tb *testbed, args []string) error {
	return tb.harm(ctx, args, "lost for good", (*cluster.Cluster).Kill)
}

// harm does something to nodes.
func (tb *testbed) harm(ctx context.Context, args []string, done string, do func(*cluster.Cluster, context.Context, ...string) error) error {
	c, names, err := tb.parse(args, -1)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return fmt.Errorf("usage: testbed %s %s", tb.command.name, tb.command.args)
	}
	if err := do(c, ctx, names...); err != nil {
		return err
	}
	for _, name := range names {
		tb.say("%s is %s", name, done)
	}
	return nil
}

// isInternal tells the commands by which the testbed starts itself.
func isInternal(name string) bool { return strings.HasPrefix(name, "internal-") }

func runInternal(args []string) error {
	// A pipe to or from the process that started this one, for this one only.
	syscall.CloseOnExec(3)
	parent := os.NewFile(3, "parent")
	switch {
	case args[0] == cluster.InitCommand && len(args) == 2:
		return cluster.RunInit(args[1], parent)
	case args[0] == cluster.NodeCommand && len(args) == 3:
		return cluster.RunNode(args[1], args[2], parent)
	}
	return fmt.Errorf("%s is not for you", args[0])
}
