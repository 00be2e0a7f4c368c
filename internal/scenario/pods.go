package scenario

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/topology"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// node is a ValkeyNode, with the server and disk that its pods run on.
type node struct {
	topology.Wanted
	server              Server
	template            string
	guard               topology.Guard
	deleting, protected bool
	pod                 *pod // nil while there is none
	due                 time.Duration
	// last is the server that answered last, also when its pod is gone.
	last    topology.Last
	unclean bool // the server on the disk was a primary and was killed
	wiped   bool // and its shard has had no primary since
	// estranged is true while the disk holds no identity of the node's own,
	// which the start of the pod will notice.
	estranged bool
	// stay is true when the next pod has the address that the server has.
	stay bool
}

// pod is one pod. It runs while its server does.
type pod struct {
	uid      topology.PodUID
	template string
	ran      bool
	// lost is true for the pod of a machine that is gone, until somebody
	// removes it.
	lost bool
	// restart is when the container is started again; 0 is never.
	restart time.Duration
}

// How long Kubernetes takes, and how long the gate of a pod's start is closed
// after a crash (N9): a node timeout and an election with all its delays.
const (
	podStart   = 300 * time.Millisecond
	podRestart = 500 * time.Millisecond
	gate       = 14 * time.Second
)

// badTemplate marks inputs with which no server comes up.
const badTemplate = "bad"

// reconcileNodes is one pass of the node controller, and of Kubernetes, over
// all nodes.
func (f *Fleet) reconcileNodes() {
	for _, name := range f.names() {
		n := f.nodes[name]
		switch p := n.pod; {
		case n.deleting && !n.protected:
			f.remove(n)
		case p == nil:
			f.createPod(n)
		case p.lost:
			if p.restart <= f.now {
				n.pod, n.due = nil, f.now
			}
		case p.template != n.template && f.allows(n):
			f.replacePod(n)
		case !n.server.Running() && !strings.HasPrefix(p.template, badTemplate) && p.restart <= f.now:
			f.start(n)
		}
	}
}

func (f *Fleet) createPod(n *node) {
	if n.due > f.now {
		return
	}
	f.podCount++
	n.pod = &pod{uid: topology.PodUID(fmt.Sprintf("%s-pod%d", n.Name, f.podCount)), template: n.template}
	f.note("pod of %s made from %s", n.Name, n.template)
	if !n.stay {
		n.server.Move()
	}
	n.stay = false
	if !f.Volumes {
		n.server.Wipe()
		n.unclean, n.estranged = false, false
	}
	n.pod.restart = f.now + podStart + n.held()
}

// held is how long the gate holds the start of n's server back (N9).
func (n *node) held() time.Duration {
	if n.unclean || n.estranged {
		return gate
	}
	return 0
}

func (f *Fleet) start(n *node) {
	if n.estranged {
		n.server.Renew()
		n.estranged = false
	}
	n.pod.ran = n.server.Start() || n.pod.ran
	n.unclean = n.unclean && !n.server.Running()
	f.note("server of %s started at %v", n.Name, n.server.Addr())
	if !n.server.Running() {
		n.pod.restart = f.now + 5*time.Second // it ends again and again
	}
}

// allows compares what the decision was made for with what is there now, as
// the node controller does.
func (f *Fleet) allows(n *node) bool {
	role := f.role(n)
	switch {
	case n.guard == topology.Guard{}:
		return true
	case n.guard.Pod != n.pod.uid || n.guard.Role != role:
		return false
	}
	if role == topology.RoleReplica {
		o, err := f.ask(n)
		return err == nil && o.Replication.Source.Up
	}
	return role != topology.RoleUnknown || !n.server.Running()
}

func (f *Fleet) replacePod(n *node) {
	f.checkDisruption(n)
	f.stopped(n)
	n.due = f.now
}

// stopped takes the pod away, cleanly.
func (f *Fleet) stopped(n *node) {
	if n.server.Running() {
		n.server.Stop()
	}
	n.pod = nil
	n.due = f.now + podStart
}

// remove deletes a node that was let go, and with it its disk.
func (f *Fleet) remove(n *node) {
	f.checkDisruption(n)
	if n.server.Running() {
		n.server.Stop()
	}
	delete(f.nodes, n.Name)
	f.graves = append(f.graves, n.server)
}

// crash ends the server's process at once; the container is restarted in place.
// A primary's start is held back, so that its replicas can be elected (N9).
func (f *Fleet) crash(n *node) {
	if n.pod == nil || !n.server.Running() {
		return
	}
	f.ends(n)
	n.server.Kill()
	n.pod.restart = f.now + podRestart + n.held()
}

// ends notes what the disk will say of the end of n's server: that it was a
// primary with replicas, and did not stop cleanly.
func (f *Fleet) ends(n *node) {
	n.unclean = f.role(n) == topology.RolePrimary && f.Replicas() > 0 && !f.Ungated
}

// role is what the node's server says it is.
func (f *Fleet) role(n *node) topology.Role {
	o, err := f.ask(n)
	if err != nil {
		return topology.RoleUnknown
	}
	return topology.Role(o.Self().Role())
}

func (f *Fleet) ask(n *node) (valkey.Observation, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, err := f.ground.Inside(ctx, n.server)
	if err != nil {
		return valkey.Observation{}, err
	}
	defer conn.Close()
	return valkey.Observe(ctx, conn)
}

// inside runs one command in n's pod.
func (f *Fleet) inside(n *node, args ...string) valkey.Reply {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, err := f.ground.Inside(ctx, n.server)
	if err != nil {
		return valkey.ErrReply(err)
	}
	defer conn.Close()
	return conn.Do(ctx, valkey.Cmd(args...))[0]
}
