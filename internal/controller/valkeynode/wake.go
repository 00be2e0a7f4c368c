package valkeynode

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// nodeOf returns the node that an object's label names.
func nodeOf(_ context.Context, o client.Object) []reconcile.Request {
	name := o.GetLabels()[v1alpha1.LabelNode]
	if name == "" {
		return nil
	}
	return []reconcile.Request{request(o.GetNamespace(), name)}
}

// nodesOfPod returns the node of the pod and the nodes whose servers replicate
// the one in it: they know its address or host name only.
func (r *Reconciler) nodesOfPod(ctx context.Context, o client.Object) []reconcile.Request {
	requests := nodeOf(ctx, o)
	for _, key := range r.Watcher.ReplicasOf(func(host string) bool { return isAt(o.(*corev1.Pod), host) }) {
		if key.Namespace == o.GetNamespace() {
			requests = append(requests, request(key.Namespace, key.Name))
		}
	}
	return requests
}

// secretIndex finds nodes by the Secrets that they name.
const secretIndex = "secrets"

func secretsOf(o client.Object) []string {
	n := o.(*v1alpha1.ValkeyNode)
	var names []string
	if n.Spec.Access != nil && n.Spec.Access.PasswordSecretRef != nil {
		names = append(names, n.Spec.Access.PasswordSecretRef.Name)
	}
	return names
}

func (r *Reconciler) nodesOfSecret(ctx context.Context, o client.Object) []reconcile.Request {
	var nodes v1alpha1.ValkeyNodeList
	err := r.Client.List(ctx, &nodes, client.InNamespace(o.GetNamespace()), client.MatchingFields{secretIndex: o.GetName()})
	if err != nil { // the cache has not started; every node is in the queue then
		return nil
	}
	requests := make([]reconcile.Request, len(nodes.Items))
	for i := range nodes.Items {
		requests[i] = request(nodes.Items[i].Namespace, nodes.Items[i].Name)
	}
	return requests
}

func request(namespace, name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}}
}
