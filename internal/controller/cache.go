// Package controller holds what the controllers share: what the cache of their
// manager keeps.
package controller

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/spec"
)

// CacheOptions returns what the cache keeps: all of our own kinds, and of other
// kinds the objects that the operator made. Other people's objects, of which
// there may be thousands, cost nothing.
//
// Without namespaces it is that of the whole Kubernetes cluster.
func CacheOptions(namespaces ...string) cache.Options {
	ours := cache.ByObject{Label: labels.SelectorFromSet(labels.Set{v1alpha1.LabelManagedBy: spec.ManagedBy})}
	options := cache.Options{
		// Nobody reads who owns which field; it is a third of most objects.
		DefaultTransform: cache.TransformStripManagedFields(),
		ByObject: map[client.Object]cache.ByObject{
			&corev1.Pod{}:                   ours,
			&corev1.ConfigMap{}:             ours,
			&corev1.Secret{}:                ours,
			&corev1.Service{}:               ours,
			&corev1.ServiceAccount{}:        ours,
			&corev1.PersistentVolumeClaim{}: ours,
			&appsv1.StatefulSet{}:           ours,
			&appsv1.Deployment{}:            ours,
			&policyv1.PodDisruptionBudget{}: ours,
		},
	}
	if len(namespaces) > 0 {
		options.DefaultNamespaces = map[string]cache.Config{}
	}
	for _, name := range namespaces {
		options.DefaultNamespaces[name] = cache.Config{}
	}
	return options
}
