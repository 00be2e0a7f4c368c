package valkeycluster

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/act"
	"github.com/valkey-operator/valkey-operator/internal/observe"
	"github.com/valkey-operator/valkey-operator/internal/report"
	"github.com/valkey-operator/valkey-operator/internal/spec"
	"github.com/valkey-operator/valkey-operator/internal/topology"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/watch"
)

// Reconciler brings ValkeyClusters to what their specs say.
type Reconciler struct {
	// Client reads from the cache and writes.
	Client client.Client
	// Live reads from the API server what the cache may not have yet.
	Live client.Reader
	// Dialer reaches the servers.
	Dialer valkey.Dialer
	// Watcher holds a connection to every server.
	Watcher *watch.Watcher
	// Events records what users are told.
	Events events.EventRecorder
	// Defaults that whoever runs the operator chose.
	Defaults spec.Defaults
	// Now is the clock of conditions.
	Now func() time.Time

	standing *act.Applier // everything that restarts nothing
	staged   *act.Applier // pod templates
	memory   memory
}

// New returns a Reconciler that is ready to use.
func New(c client.Client, live client.Reader, dialer valkey.Dialer, watcher *watch.Watcher, recorder events.EventRecorder, defaults spec.Defaults) *Reconciler {
	return &Reconciler{
		Client: c, Live: live, Dialer: dialer, Watcher: watcher, Events: recorder, Defaults: defaults, Now: time.Now,
		standing: act.NewApplier(c, live, standingOwner),
		staged:   act.NewApplier(c, live, stagedOwner),
		memory:   newMemory(),
	}
}

// Reconcile makes one pass over one cluster.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	cluster := &v1alpha1.ValkeyCluster{}
	if err := r.Client.Get(ctx, req.NamespacedName, cluster); err != nil {
		if client.IgnoreNotFound(err) == nil {
			r.forget(req)
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if cluster.DeletionTimestamp != nil {
		return ctrl.Result{}, r.letNodesGo(ctx, cluster)
	}
	pass, err := r.step(ctx, cluster)
	if act.NamespaceEnds(err) {
		return ctrl.Result{}, nil // the cluster is deleted next
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := r.tell(ctx, cluster, pass); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.endVouching(ctx, cluster, pass); err != nil {
		return ctrl.Result{}, err
	}
	again := report.Next(pass, r.memory.waited(req.NamespacedName, pass.Plan))
	// Many clusters that were woken together do not stay together.
	return ctrl.Result{RequeueAfter: wait.Jitter(again, 0.1)}, nil
}

// step applies what restarts nothing, observes, plans and acts. Its error is
// one of reading, after which nothing was decided; what could not be written
// is in the pass.
func (r *Reconciler) step(ctx context.Context, cluster *v1alpha1.ValkeyCluster) (report.Pass, error) {
	want := spec.Resolve(cluster, r.Defaults)
	login, failures, err := r.apply(ctx, want)
	if err != nil {
		return report.Pass{}, err
	}
	seen, err := observe.Cluster(ctx, r.Client, &observe.Machines{Reader: r.Live}, r.Dialer, held{r.Watcher}, want, login)
	if err != nil {
		return report.Pass{}, err
	}
	failures = append(failures, r.applyNodes(ctx, want, seen)...)
	shape, unread := desired(want)
	failures = append(failures, unread...)
	plan := topology.Next(shape, seen.Observed)
	due := r.memory.due(client.ObjectKeyFromObject(cluster), plan.Actions, r.Now())
	results := act.Run(ctx, due, act.Servers{Dialer: r.Dialer, Targets: seen.Targets}, nodeWriter{r, want, seen})
	logResults(log.FromContext(ctx), results)
	return report.Pass{
		Generation: cluster.Generation,
		Want:       shape,
		Seen:       seen.Observed,
		Stuck:      seen.Stuck,
		Nodes:      seen.Nodes,
		Plan:       plan,
		Failures:   append(failures, failed(results)...),
	}, nil
}

func (r *Reconciler) forget(req ctrl.Request) {
	r.standing.Forget(req.NamespacedName)
	r.staged.Forget(req.NamespacedName)
	r.memory.forget(req.NamespacedName)
}
