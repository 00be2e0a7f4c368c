package valkeycluster

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/watch"
)

// workers is how many clusters are worked on at the same time. Most of a pass is
// waiting for answers, and a pass over a cluster with slow servers takes as long
// as an answer may; the others go on meanwhile (A5).
const workers = 64

// passLimit ends a pass whatever it waits for. One over a large cluster that is
// being created takes the longest, and the next one goes on with it.
const passLimit = 2 * time.Minute

// Pauses after an error.
const (
	firstPause   = 50 * time.Millisecond
	longestPause = 30 * time.Second
)

// SetupWithManager registers the controller and what wakes it: the cluster,
// everything that it made, the pods of its nodes, and their servers.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		Named("valkeycluster").
		For(&v1alpha1.ValkeyCluster{}).
		Owns(&v1alpha1.ValkeyNode{}).
		Owns(&corev1.Service{}).
		Owns(&corev1.ConfigMap{}).
		Owns(&corev1.Secret{}).
		Owns(&corev1.ServiceAccount{}).
		Owns(&policyv1.PodDisruptionBudget{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(clusterOf)).
		WatchesRawSource(source.Func(r.wakeOnServers)).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: workers,
			ReconciliationTimeout:   passLimit,
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](firstPause, longestPause),
		}).
		Complete(r)
}

// clusterOf maps an object to the cluster that it is labelled with.
func clusterOf(_ context.Context, o client.Object) []reconcile.Request {
	name := o.GetLabels()[v1alpha1.LabelCluster]
	if name == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: o.GetNamespace(), Name: name}}}
}

// wakeOnServers wakes the cluster of a server that has changed, at once.
func (r *Reconciler) wakeOnServers(ctx context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	r.Watcher.Subscribe(func(key watch.Key, _ watch.Observation) {
		node := &v1alpha1.ValkeyNode{}
		if err := r.Client.Get(ctx, types.NamespacedName{Namespace: key.Namespace, Name: key.Name}, node); err != nil {
			return // gone, and its deletion wakes the cluster anyway
		}
		for _, request := range clusterOf(ctx, node) {
			queue.Add(request)
		}
	})
	return nil
}
