package valkeynode

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
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

// workers is how many nodes are worked on at the same time. A pass waits at
// most for one server, and only when its directives or its pod change.
const workers = 32

// passLimit ends a pass whatever it waits for.
const passLimit = time.Minute

// Pauses after an error.
const (
	firstPause   = 50 * time.Millisecond
	longestPause = 30 * time.Second
)

// SetupWithManager registers the controller and what wakes it: the node, its
// objects and pods, the Secrets it names, and its server.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	ctx := context.Background()
	for field, index := range map[string]struct {
		of      client.Object
		extract client.IndexerFunc
	}{
		podIPIndex:  {&corev1.Pod{}, podIPs},
		secretIndex: {&v1alpha1.ValkeyNode{}, secretsOf},
	} {
		if err := mgr.GetFieldIndexer().IndexField(ctx, index.of, field, index.extract); err != nil {
			return err
		}
	}
	return ctrl.NewControllerManagedBy(mgr).
		Named("valkeynode").
		For(&v1alpha1.ValkeyNode{}).
		Owns(&corev1.ConfigMap{}).
		Owns(&appsv1.StatefulSet{}).
		Owns(&appsv1.Deployment{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(r.nodesOfPod)).
		Watches(&corev1.PersistentVolumeClaim{}, handler.EnqueueRequestsFromMapFunc(nodeOf)).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.nodesOfSecret)).
		WatchesRawSource(source.Func(r.servers)).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: workers,
			ReconciliationTimeout:   passLimit,
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](firstPause, longestPause),
		}).
		Complete(r)
}

// servers puts nodes whose server changed into the queue.
func (r *Reconciler) servers(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	r.Watcher.Subscribe(func(key watch.Key, _ watch.Observation) {
		queue.Add(reconcile.Request{NamespacedName: types.NamespacedName(key)})
	})
	return nil
}
