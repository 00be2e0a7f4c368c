// Command testbed runs real Kubernetes with real Valkey on one Debian machine,
// from Go modules and Debian packages, without a registry. See README.md.
//
// It imports the standard library and golang.org/x/sys only, so that it
// compiles in a second; the programs of a cluster, which do not, are below cmd.
package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/valkey-operator/valkey-operator/testbed/internal/binaries"
	"github.com/valkey-operator/valkey-operator/testbed/internal/cache"
	"github.com/valkey-operator/valkey-operator/testbed/internal/images"
)

// source is what the binaries are built from; carrying it makes the command
// independent of the folder that it is run in.
//
//go:embed go.mod go.sum cmd
var source embed.FS

// A command is one word after "testbed".
type command struct {
	name, args, help string
	run              func(ctx context.Context, tb *testbed, args []string) error
}

// commands is filled here, not where it is declared, as the help refers to it.
var commands []command

func init() {
	commands = []command{
		{"build", "[--only apiserver]", "build the binaries that are missing (cold: 10 minutes)", runBuild},
		{"images", "[--refresh]", "make the images that are missing, from Debian's packages", runImages},
		{"image", "--name NAME:TAG --binary FILE [--out FILE]", "make an image of one static binary", runImage},
		{"load", "ARCHIVE...", "import image archives into all nodes", runLoad},
		{"up", "[--nodes N]", "start a cluster, with all that it needs", runUp},
		{"down", "", "end the cluster; nothing is left of it", runDown},
		{"status", "", "show the nodes and where files are", runStatus},
		{"kubeconfig", "", "print the path of the administrator's kubeconfig", runKubeconfig},
		{"audit-log", "", "print the path of the API server's audit log", runAuditLog},
		{"exec", "[--node N] -- COMMAND [ARG...]", "run a command in the cluster's network, with KUBECONFIG", runExec},
		{"kubectl", "[ARG...]", "run kubectl in the cluster's network", runKubectl},
		{"cut", "NODE...", "cut nodes off from the others, not from each other", runCut},
		{"heal", "NODE...", "end the cut", runHeal},
		{"kill-node", "NODE...", "lose nodes for good", runKillNode},
		{"assets", "", "print the folder of etcd, kube-apiserver and kubectl (KUBEBUILDER_ASSETS)", runAssets},
		{"valkey", "VERSION", "print the folder of valkey-server and valkey-cli of a version", runValkey},
	}
}

func main() {
	if len(os.Args) < 2 {
		usage(os.Stderr)
		os.Exit(2)
	}
	if word := strings.TrimLeft(os.Args[1], "-"); word == "help" || word == "h" {
		usage(os.Stdout)
		return
	}
	if isInternal(os.Args[1]) {
		fail(runInternal(os.Args[1:]))
		return
	}
	// A signal ends the work in progress, which then cleans up behind itself.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	err := dispatch(ctx, os.Args[1], os.Args[2:])
	if err != nil && ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	fail(err)
}

func fail(err error) {
	switch {
	case err == nil:
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "testbed:", err)
		os.Exit(1)
	}
}

func dispatch(ctx context.Context, name string, args []string) error {
	for _, c := range commands {
		if c.name != name {
			continue
		}
		tb, err := newTestbed(c)
		if err != nil {
			return err
		}
		return c.run(ctx, tb, args)
	}
	return fmt.Errorf("no command %q; see testbed help", name)
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "Real Kubernetes with real Valkey on this machine.\n\nusage: testbed COMMAND [--name CLUSTER] ...")
	for _, c := range commands {
		fmt.Fprintf(w, "  %s\n  %14s%s\n", strings.TrimSpace(c.name+" "+c.args), "", c.help)
	}
	fmt.Fprintln(w, `
The cluster's name comes from --name or $VALKEY_TESTBED_NAME (for kubectl, whose
flags are its own, from the latter only). Binaries, images and clusters are kept in
$VALKEY_TESTBED_CACHE, by default valkey-operator-testbed in the user's cache folder.`)
}

// A testbed is what the commands work with.
type testbed struct {
	command  command
	cacheDir string
	binaries *binaries.Set
	images   *images.Store
	begun    time.Time
}

func newTestbed(c command) (*testbed, error) {
	dir, err := cache.Dir()
	if err != nil {
		return nil, err
	}
	set, err := binaries.NewSet(dir, source)
	if err != nil {
		return nil, err
	}
	store, err := images.NewStore(dir)
	if err != nil {
		return nil, err
	}
	return &testbed{c, dir, set, store, time.Now()}, nil
}

// say prints progress, with the time since the start. Answers go to standard
// output, progress to standard error.
func (tb *testbed) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%7.1fs  %s\n", time.Since(tb.begun).Seconds(), fmt.Sprintf(format, args...))
}

// flags returns the flags of the command at hand, and the name of the cluster
// that is one of them.
func (tb *testbed) flags() (flags *flag.FlagSet, cluster *string) {
	flags = flag.NewFlagSet(tb.command.name, flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprintf(flags.Output(), "testbed %s %s\n%s\n", tb.command.name, tb.command.args, tb.command.help)
		flags.PrintDefaults()
	}
	return flags, flags.String("name", defaultName(), "name of the cluster")
}

func defaultName() string {
	if name := os.Getenv("VALKEY_TESTBED_NAME"); name != "" {
		return name
	}
	return "valkey"
}
