package valkeynode

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/act"
	"github.com/valkey-operator/valkey-operator/internal/render/vknode"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// staleError is why an outdated pod is left alone although its template
// changed: the parent's decision does not fit any more.
type staleError struct{ why error }

func (e *staleError) Error() string { return e.why.Error() }

// mayRestart returns the guard's verdict on the node's pod.
func (r *Reconciler) mayRestart(ctx context.Context, s *seen) error {
	g := guardOf(s.node)
	if g == nil || s.pod == nil {
		return nil
	}
	var now valkey.RoleState
	if g.pod == s.pod.UID {
		now = r.roleNow(ctx, s)
	}
	return g.allows(s.pod.UID, isReady(s.pod), v1alpha1.NodeRole(now.Role), now.Link == linkUp)
}

// replaceOutdated deletes the pod if it is outdated and the guard allows, and
// reports whether a pod is on its way out for that reason. All is asked anew of
// the API server and of the server itself: the cache may show a template that
// was already taken back, or a role of a moment ago.
func (r *Reconciler) replaceOutdated(ctx context.Context, s *seen) (bool, error) {
	if !outdated(s.workload, s.pod) {
		return false, nil
	}
	now, err := r.readAgain(ctx, s)
	if err != nil || !outdated(now.workload, now.pod) {
		return false, err
	}
	if vknode.TemplateHash(now.node) != now.workload.templateHash {
		return false, nil // a newer template is on its way
	}
	if err := r.mayRestart(ctx, now); err != nil {
		return false, &staleError{err}
	}
	r.event(s.node, corev1.EventTypeNormal, v1alpha1.ReasonReplacing,
		fmt.Sprintf("replacing pod %s, whose template changed", now.pod.Name))
	return true, act.Delete(ctx, r.Client, now.pod, metav1.DeletePropagationBackground)
}

// readAgain reads the node, its workload and its pod from the API server.
func (r *Reconciler) readAgain(ctx context.Context, s *seen) (*seen, error) {
	now := &seen{node: &v1alpha1.ValkeyNode{}, pod: &corev1.Pod{}, server: s.server}
	object := emptyWorkload(s.node)
	for _, read := range []struct {
		as   client.Object
		into client.Object
	}{{s.node, now.node}, {s.workload.object, object}, {s.pod, now.pod}} {
		if err := r.Live.Get(ctx, client.ObjectKeyFromObject(read.as), read.into); err != nil {
			return now, client.IgnoreNotFound(err)
		}
	}
	now.workload = asWorkload(now.node, object)
	return now, nil
}

// linkUp is what a replica says of its link when it is connected and in sync.
const linkUp = "connected"

// roleNow asks the server itself; it is zero if the server does not answer.
func (r *Reconciler) roleNow(ctx context.Context, s *seen) valkey.RoleState {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	conn, err := r.dial(ctx, s)
	if err != nil {
		return valkey.RoleState{}
	}
	defer conn.Close()
	state, err := valkey.RoleOf(ctx, conn)
	if err != nil {
		return valkey.RoleState{}
	}
	return state
}
