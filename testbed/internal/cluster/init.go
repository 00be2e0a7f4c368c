package cluster

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// ready is the line by which an init tells that its cluster is up. Before it
// come lines of progress, or one that starts with failed.
const (
	ready  = "ready"
	failed = "failed: "
)

// startLimit is the time that each step of a start may take on a busy machine.
const startLimit = 3 * time.Minute

// RunInit is the first process of a cluster's process namespace; all others
// are below it. It reports its start to progress and never returns unless that
// fails.
func RunInit(stateDir string, progress io.WriteCloser) error {
	c := &Cluster{Name: filepath.Base(stateDir), dir: stateDir}
	i := &clusterInit{Cluster: c, children: newChildren(), progress: progress}
	if err := i.start(context.Background()); err != nil {
		fmt.Fprintln(progress, failed+err.Error())
		return err
	}
	fmt.Fprintln(progress, ready)
	progress.Close()
	select {}
}

type clusterInit struct {
	*Cluster
	children *children
	progress io.Writer
}

func (i *clusterInit) say(format string, args ...any) {
	fmt.Fprintf(i.progress, format+"\n", args...)
}

func (i *clusterInit) start(ctx context.Context) error {
	if err := hold(i.initLease()); err != nil {
		return err
	}
	spec, err := i.spec()
	if err != nil {
		return err
	}
	if err := i.mount(); err != nil {
		return err
	}
	os.Setenv("PATH", spec.searchPath())
	apiReady, err := i.startNodes(spec.Nodes)
	if err != nil {
		return err
	}
	if err := i.startPrograms(i.apiServer()); err != nil {
		return err
	}
	api, err := newAPI(i.Cluster)
	if err != nil {
		return err
	}
	if err := api.waitReady(); err != nil {
		return err
	}
	i.say("API server ready")
	apiReady.Close()
	if err := i.startPrograms(i.controllers()); err != nil {
		return err
	}
	return i.settle(ctx, api, spec)
}

// mount separates the mounts of the cluster from the machine's. The folder of
// the volumes is shared with the nodes, so that a volume mounted later appears
// there; the machine's network namespaces are let go of, or they could not be
// removed while the cluster runs.
func (i *clusterInit) mount() error {
	volumes := i.path("volumes")
	return mounts(
		mount{target: "/", flags: unix.MS_PRIVATE | unix.MS_REC},
		mount{source: "proc", target: "/proc", kind: "proc"},
		mount{source: volumes, target: volumes, flags: unix.MS_BIND},
		mount{target: volumes, flags: unix.MS_SHARED},
	)
}

// startNodes starts an init for each node. They prepare themselves and wait
// for the file that is returned to be closed: then the API server is ready.
func (i *clusterInit) startNodes(nodes int) (apiReady io.Closer, err error) {
	wait, signal, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer wait.Close()
	for node := 1; node <= nodes; node++ {
		if err := i.startNode(node, wait); err != nil {
			return nil, err
		}
	}
	return signal, unix.Unmount(netnsDir, unix.MNT_DETACH)
}

func (i *clusterInit) startNode(node int, apiReady *os.File) error {
	out, err := os.Create(i.path("log", nodeName(node)+".log"))
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := exec.Command("/proc/self/exe", NodeCommand, i.dir, fmt.Sprint(node))
	cmd.Stdout, cmd.Stderr = out, out
	cmd.ExtraFiles = []*os.File{apiReady}
	cmd.SysProcAttr = namespaces(unix.CLONE_NEWNS | unix.CLONE_NEWUTS | unix.CLONE_NEWPID)
	return within(i.netns(node), func() error {
		ended, err := i.children.start(cmd)
		if err == nil {
			go func() { log.Printf("%s ended: %s", nodeName(node), describe(<-ended)) }()
		}
		return err
	})
}

func (i *clusterInit) startPrograms(programs []program) error {
	for _, p := range programs {
		if err := i.children.supervise(i.path("log", p.name+".log"), p.name, p.args...); err != nil {
			return err
		}
	}
	return nil
}

// settle waits until pods can run and claims are served.
func (i *clusterInit) settle(ctx context.Context, api *api, spec Spec) error {
	kubectl := exec.CommandContext(ctx, "kubectl", "--kubeconfig", i.Kubeconfig(), "create", "-f", i.path("etc", "storage.yaml"))
	kubectl.Stdout, kubectl.Stderr = os.Stderr, os.Stderr
	if !i.children.run(kubectl) {
		return fmt.Errorf("cannot create the storage classes; see %s", i.path("log", "init.log"))
	}
	if err := api.waitNodes(spec.Nodes); err != nil {
		return err
	}
	i.say("%d node(s) ready", spec.Nodes)
	if err := api.waitServiceAccount(); err != nil {
		return err
	}
	return os.WriteFile(i.readyFile(), nil, 0o644)
}
