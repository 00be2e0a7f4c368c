package valkeynode

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/act"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/watch"
)

// owner is the field owner of everything that the node controller writes.
const owner client.FieldOwner = "valkey-operator-node"

// Reconciler brings ValkeyNodes to what their specs say.
type Reconciler struct {
	// Client reads from the cache and writes.
	Client client.Client
	// Live reads from the API server what the cache may not have, or not yet.
	Live client.Reader
	// Dialer reaches the servers.
	Dialer valkey.Dialer
	// Watcher keeps an eye on the servers; the controller tells it on which.
	Watcher *watch.Watcher
	// Events records what users are told.
	Events events.EventRecorder
	// Now is the clock of conditions.
	Now func() time.Time

	applier  *act.Applier
	refusals refusalMemory
}

// New returns a Reconciler that is ready to use.
func New(c client.Client, live client.Reader, dialer valkey.Dialer, watcher *watch.Watcher, recorder events.EventRecorder) *Reconciler {
	return &Reconciler{
		Client: c, Live: live, Dialer: dialer, Watcher: watcher, Events: recorder, Now: time.Now,
		applier:  act.NewApplier(c, live, owner),
		refusals: refusalMemory{own: map[types.NamespacedName]refusals{}},
	}
}

// Reconcile makes one pass over one node.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	node := &v1alpha1.ValkeyNode{}
	if err := r.Client.Get(ctx, req.NamespacedName, node); err != nil {
		if apierrors.IsNotFound(err) {
			r.forget(req.NamespacedName)
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	return resultOf(r.pass(ctx, node))
}

// pass observes, acts and reports. It returns after which time to look again if
// nothing happens, or 0.
func (r *Reconciler) pass(ctx context.Context, node *v1alpha1.ValkeyNode) (time.Duration, error) {
	if node.DeletionTimestamp == nil {
		if err := act.AddFinalizer(ctx, r.Client, node, v1alpha1.FinalizerVolumeCleanup); err != nil {
			return 0, err
		}
	}
	s, err := r.observe(ctx, node)
	if err != nil {
		return 0, err
	}
	if s.leaving() != stay {
		waitsFor, err := r.depart(ctx, s)
		if err != nil || waitsFor == "" {
			return 0, err
		}
		return 0, r.tell(ctx, s, departing(s, waitsFor))
	}
	d := r.act(ctx, s)
	if r.watch(s) {
		// What there is to say is known within seconds, and brings the next
		// pass. Until then every node would be unknown after each start of the
		// operator.
		return lookAgain(s, d), d.retry()
	}
	if err := r.tell(ctx, s, statusOf(s, d)); err != nil {
		return 0, err
	}
	return lookAgain(s, d), d.retry()
}

// watch has the watcher follow the pod of the node, and reports whether it has
// just begun to.
func (r *Reconciler) watch(s *seen) (begun bool) {
	key := watchKey(s.node)
	if s.pod == nil || !serverAddr(s.node, s.pod).IsValid() {
		r.Watcher.Stop(key)
		return false
	}
	return r.Watcher.Watch(key, watch.Subject{
		Pod:    string(s.pod.UID),
		Addr:   serverAddr(s.node, s.pod),
		Target: r.targetOf(client.ObjectKeyFromObject(s.node)),
	})
}

func (r *Reconciler) forget(node types.NamespacedName) {
	r.Watcher.Stop(watch.Key{Namespace: node.Namespace, Name: node.Name})
	r.applier.Forget(node)
	r.refusals.forget(node)
}

// unwatched is after which time the controller looks again at what nothing
// wakes it for.
const unwatched = 10 * time.Second

// lookAgain returns unwatched if the node waits for a storage class, or for an
// object of somebody else to go.
func lookAgain(s *seen, d done) time.Duration {
	if s.class.missing || isFinal(d.objects) || isClaimProblem(d.claim) {
		return unwatched
	}
	return 0
}

// conflictPause is how long the cache gets to see what somebody else wrote.
const conflictPause = 100 * time.Millisecond

// resultOf says what the outcome of a pass means for the queue. That somebody
// else wrote at the same moment is no error: the next pass sees it.
func resultOf(after time.Duration, err error) (ctrl.Result, error) {
	switch {
	case err == nil:
		return ctrl.Result{RequeueAfter: after}, nil
	case apierrors.IsConflict(err):
		return ctrl.Result{RequeueAfter: conflictPause}, nil
	case act.NamespaceEnds(err):
		return ctrl.Result{}, nil // the node is deleted next
	}
	return ctrl.Result{}, err
}
