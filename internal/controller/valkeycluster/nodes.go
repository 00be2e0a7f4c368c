package valkeycluster

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/act"
	"github.com/valkey-operator/valkey-operator/internal/observe"
	"github.com/valkey-operator/valkey-operator/internal/render/vkcluster"
	"github.com/valkey-operator/valkey-operator/internal/report"
	"github.com/valkey-operator/valkey-operator/internal/spec"
	"github.com/valkey-operator/valkey-operator/internal/topology"
)

// applyNodes writes the standing part of the ValkeyNodes that exist.
func (r *Reconciler) applyNodes(ctx context.Context, c spec.Cluster, seen observe.Snapshot) []report.Failure {
	var failures []report.Failure
	for _, n := range c.Nodes() {
		live := seen.Node(topology.Name(n.Name))
		if live == nil {
			continue
		}
		if err := r.standing.Apply(ctx, intent(c, vkcluster.Node(c, n, live))); err != nil {
			failures = append(failures, failure("applying node "+n.Name, err))
		}
	}
	return failures
}

// nodeWriter carries out the actions of a plan that are writes to ValkeyNodes.
type nodeWriter struct {
	r    *Reconciler
	want spec.Cluster
	seen observe.Snapshot
}

var _ act.Nodes = nodeWriter{}

// Create makes a ValkeyNode whole, with one write, so that nobody ever sees a
// part of it; then each of its two owners states its own part.
func (w nodeWriter) Create(ctx context.Context, name topology.Name) error {
	n, err := w.node(name)
	if err != nil {
		return err
	}
	uid, err := w.r.staged.Create(ctx, intent(w.want, vkcluster.NewNode(w.want, n)))
	if err != nil {
		return err
	}
	if err := w.r.standing.Change(ctx, intent(w.want, vkcluster.Node(w.want, n, nil)), uid); err != nil {
		return err
	}
	return w.r.staged.Change(ctx, intent(w.want, vkcluster.NodeTemplate(w.want, n, "")), uid)
}

// Roll writes the wanted template together with the guard.
func (w nodeWriter) Roll(ctx context.Context, name topology.Name, guard topology.Guard) error {
	n, err := w.node(name)
	if err != nil {
		return err
	}
	return w.r.staged.Apply(ctx, intent(w.want, vkcluster.NodeTemplate(w.want, n, guardText(guard))))
}

// Release lets a ValkeyNode that is being deleted go.
func (w nodeWriter) Release(ctx context.Context, name topology.Name) error {
	node := w.seen.Node(name)
	if node == nil {
		return nil
	}
	return act.LiftFinalizers(ctx, w.r.Client, node.DeepCopy(), v1alpha1.FinalizerProtection)
}

func (w nodeWriter) node(name topology.Name) (spec.Node, error) {
	n, wanted := w.want.Node(string(name))
	if !wanted {
		return spec.Node{}, fmt.Errorf("node %s is not wanted", name)
	}
	return n, nil
}

func guardText(g topology.Guard) string {
	if g == (topology.Guard{}) {
		return ""
	}
	return vkcluster.RollIf(types.UID(g.Pod), v1alpha1.NodeRole(g.Role))
}

// letNodesGo lifts the protection of all nodes of a cluster that is being
// deleted: nothing depends on them any more.
func (r *Reconciler) letNodesGo(ctx context.Context, cluster *v1alpha1.ValkeyCluster) error {
	seen, err := observe.Nodes(ctx, r.Client, spec.Resolve(cluster, r.Defaults))
	if err != nil {
		return err
	}
	for i := range seen {
		if err := act.LiftFinalizers(ctx, r.Client, seen[i].DeepCopy(), v1alpha1.FinalizerProtection); err != nil {
			return err
		}
	}
	return nil
}
