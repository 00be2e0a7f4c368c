package apitest

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// garbage deletes what was made by a workload that is gone.
func (s *Simulation) garbage(ctx context.Context) error {
	for _, list := range []client.ObjectList{&appsv1.ReplicaSetList{}, &corev1.PodList{}} {
		if err := s.client.List(ctx, list, client.InNamespace(s.namespace)); err != nil {
			return err
		}
		for _, o := range objects(list) {
			if err := s.deleteOrphan(ctx, o); err != nil {
				return err
			}
		}
	}
	return nil
}

func objects(list client.ObjectList) []client.Object {
	var all []client.Object
	switch list := list.(type) {
	case *appsv1.ReplicaSetList:
		for i := range list.Items {
			all = append(all, &list.Items[i])
		}
	case *corev1.PodList:
		for i := range list.Items {
			all = append(all, &list.Items[i])
		}
	}
	return all
}

func (s *Simulation) deleteOrphan(ctx context.Context, o client.Object) error {
	owner := metav1.GetControllerOf(o)
	if owner == nil || o.GetDeletionTimestamp() != nil {
		return nil
	}
	alive, err := s.exists(ctx, owner)
	if alive || err != nil {
		return err
	}
	return s.client.Delete(ctx, o)
}

// exists reports whether the owner that a reference means is there.
func (s *Simulation) exists(ctx context.Context, owner *metav1.OwnerReference) (bool, error) {
	live := &metav1.PartialObjectMetadata{}
	live.APIVersion, live.Kind = owner.APIVersion, owner.Kind
	err := s.client.Get(ctx, types.NamespacedName{Namespace: s.namespace, Name: owner.Name}, live)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return live.UID == owner.UID, err
}
