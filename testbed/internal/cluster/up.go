package cluster

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/valkey-operator/valkey-operator/testbed/internal/cache"
)

// Say prints one line of progress.
type Say func(format string, args ...any)

// Up starts the cluster and returns when it can be used. If it fails or the
// context ends before that, nothing is left behind. A cluster that is up stays
// as it is.
func (c *Cluster) Up(ctx context.Context, spec Spec, say Say) error {
	if os.Geteuid() != 0 {
		return errors.New("starting a cluster needs root: it makes namespaces, mounts and cgroups")
	}
	if spec.Nodes < 1 || spec.Nodes > maxNodes {
		return fmt.Errorf("%d nodes: want 1 to %d", spec.Nodes, maxNodes)
	}
	unlock, err := c.lock(say)
	if err != nil {
		return err
	}
	defer unlock()
	if running, err := c.up(); err == nil {
		return c.alreadyUp(running, spec, say)
	}
	if err := c.clean(context.WithoutCancel(ctx), say); err != nil {
		return err
	}
	if err := c.start(ctx, spec, say); err != nil {
		return errors.Join(err, c.giveUp(ctx, say))
	}
	return nil
}

// alreadyUp tells what is up, and whether that will do: more nodes than asked
// for do no harm.
func (c *Cluster) alreadyUp(running, wanted Spec, say Say) error {
	if running.Nodes < wanted.Nodes {
		return fmt.Errorf("%s is already up, with %d node(s) instead of %d: end it first (testbed down)", c.Name, running.Nodes, wanted.Nodes)
	}
	say("%s is already up, with %d node(s)", c.Name, running.Nodes)
	return nil
}

// giveUp cleans up behind a start that failed, but keeps the logs of one that
// was not interrupted: they tell why.
func (c *Cluster) giveUp(ctx context.Context, say Say) error {
	if ctx.Err() != nil {
		say("interrupted, cleaning up")
		return c.clean(context.WithoutCancel(ctx), say)
	}
	kept, err := os.MkdirTemp("", "testbed-logs-")
	if err == nil && os.CopyFS(kept, os.DirFS(c.Logs())) == nil {
		say("the start failed; its logs are kept in %s", kept)
	}
	return c.clean(ctx, say)
}

// lock keeps two starts or stops from meeting.
func (c *Cluster) lock(say Say) (unlock func(), err error) {
	return cache.Lock(filepath.Dir(c.dir), func() { say("waiting for another start or stop to end") })
}

func (c *Cluster) start(ctx context.Context, spec Spec, say Say) error {
	for _, name := range []string{"etc", "etcd", "log", "pki", "volumes"} {
		if err := os.MkdirAll(c.path(name), 0o755); err != nil {
			return err
		}
	}
	if err := c.saveSpec(spec); err != nil {
		return err
	}
	if err := c.makeNetworks(ctx, spec.Nodes); err != nil {
		return err
	}
	if err := c.makeCredentials(spec.Nodes); err != nil {
		return err
	}
	if err := c.writeControlPlaneConfig(); err != nil {
		return err
	}
	for node := 1; node <= spec.Nodes; node++ {
		if err := machineCgroups.make(c.nodeCgroup(node)); err != nil {
			return err
		}
	}
	say("networks, keys and cgroups made")
	progress, err := c.startInit()
	if err != nil {
		return err
	}
	defer progress.Close()
	return follow(ctx, progress, say)
}

// startInit starts the init in namespaces of its own. It gets a copy of this
// program: the one that `go run` made is gone when the command ends.
func (c *Cluster) startInit() (progress *os.File, err error) {
	self, err := copySelf(c.path("testbed"))
	if err != nil {
		return nil, err
	}
	out, err := os.Create(c.path("log", "init.log"))
	if err != nil {
		return nil, err
	}
	defer out.Close()
	progress, report, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer report.Close()
	cmd := exec.Command(self, InitCommand, c.dir)
	cmd.Dir = c.dir
	cmd.Stdout, cmd.Stderr = out, out
	cmd.ExtraFiles = []*os.File{report}
	cmd.SysProcAttr = namespaces(unix.CLONE_NEWNS | unix.CLONE_NEWUTS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC)
	err = within(c.netns(1), cmd.Start)
	if err != nil {
		progress.Close()
		return nil, err
	}
	return progress, cmd.Process.Release()
}

func copySelf(to string) (string, error) {
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		return "", err
	}
	defer from.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
	if err != nil {
		return "", err
	}
	if _, err := io.Copy(out, from); err != nil {
		out.Close()
		return "", err
	}
	return to, out.Close()
}

// follow passes an init's progress on until the cluster is ready.
func follow(ctx context.Context, progress *os.File, say Say) error {
	stop := context.AfterFunc(ctx, func() { _ = progress.SetReadDeadline(time.Now()) })
	defer stop()
	lines := bufio.NewScanner(progress)
	for lines.Scan() {
		line := lines.Text()
		if line == ready {
			return nil
		}
		if reason, isFailure := strings.CutPrefix(line, failed); isFailure {
			return errors.New(reason)
		}
		say("%s", line)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return errors.Join(errors.New("the cluster's init ended early"), lines.Err())
}
