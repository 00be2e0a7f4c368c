package apitest

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// statefulSets gives each StatefulSet its revision and its pod.
func (s *Simulation) statefulSets(ctx context.Context) error {
	var sets appsv1.StatefulSetList
	if err := s.client.List(ctx, &sets, client.InNamespace(s.namespace)); err != nil {
		return err
	}
	for i := range sets.Items {
		set := &sets.Items[i]
		if set.DeletionTimestamp != nil {
			if err := s.orphan(ctx, set); err != nil {
				return err
			}
			continue
		}
		revision := Revision(set.Name, &set.Spec.Template)
		owner := metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("StatefulSet"))
		if err := s.ensurePod(ctx, owner, &set.Spec.Template, revision); err != nil {
			return err
		}
		before := set.DeepCopy()
		set.Status.ObservedGeneration = set.Generation
		set.Status.UpdateRevision = revision
		if err := s.setStatus(ctx, before, set); err != nil {
			return err
		}
	}
	return nil
}

// deployments gives each Deployment its pod, and takes the old one away first.
func (s *Simulation) deployments(ctx context.Context) error {
	var all appsv1.DeploymentList
	if err := s.client.List(ctx, &all, client.InNamespace(s.namespace)); err != nil {
		return err
	}
	for i := range all.Items {
		d := &all.Items[i]
		if d.DeletionTimestamp != nil {
			continue
		}
		name := Revision(d.Name, &d.Spec.Template)
		set, err := s.replicaSet(ctx, d, name)
		if err != nil {
			return err
		}
		gone, err := s.deleteOthers(ctx, d, name+"-0")
		if err != nil || !gone {
			return err
		}
		owner := metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))
		if err := s.ensurePod(ctx, owner, &d.Spec.Template, ""); err != nil {
			return err
		}
	}
	return nil
}

// replicaSet returns the ReplicaSet of the Deployment's template.
func (s *Simulation) replicaSet(ctx context.Context, d *appsv1.Deployment, name string) (*appsv1.ReplicaSet, error) {
	set := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: s.namespace}}
	set.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(d, appsv1.SchemeGroupVersion.WithKind("Deployment"))}
	set.Spec.Selector = d.Spec.Selector
	set.Spec.Template = d.Spec.Template
	err := s.client.Create(ctx, set)
	if apierrors.IsAlreadyExists(err) {
		err = s.client.Get(ctx, client.ObjectKeyFromObject(set), set)
	}
	return set, err
}

// deleteOthers deletes the pods of other templates, and reports whether they
// are gone.
func (s *Simulation) deleteOthers(ctx context.Context, d *appsv1.Deployment, name string) (bool, error) {
	var pods corev1.PodList
	if err := s.client.List(ctx, &pods, client.InNamespace(s.namespace), client.MatchingLabels(d.Spec.Selector.MatchLabels)); err != nil {
		return false, err
	}
	gone := true
	for i := range pods.Items {
		if pods.Items[i].Name == name {
			continue
		}
		gone = false
		if pods.Items[i].DeletionTimestamp == nil {
			if err := s.client.Delete(ctx, &pods.Items[i]); err != nil {
				return false, err
			}
		}
	}
	return gone, nil
}

// ensurePod makes the owner's pod, or takes over one that belongs to nobody.
func (s *Simulation) ensurePod(ctx context.Context, owner *metav1.OwnerReference, template *corev1.PodTemplateSpec, revision string) error {
	pod := &corev1.Pod{}
	err := s.client.Get(ctx, types.NamespacedName{Namespace: s.namespace, Name: owner.Name + "-0"}, pod)
	if err == nil {
		if pod.DeletionTimestamp != nil || metav1.GetControllerOf(pod) != nil {
			return nil
		}
		pod.OwnerReferences = []metav1.OwnerReference{*owner}
		return s.client.Update(ctx, pod)
	}
	if !apierrors.IsNotFound(err) {
		return err
	}
	pod = &corev1.Pod{ObjectMeta: *template.ObjectMeta.DeepCopy(), Spec: *template.Spec.DeepCopy()}
	pod.Name, pod.Namespace = owner.Name+"-0", s.namespace
	pod.OwnerReferences = []metav1.OwnerReference{*owner}
	pod.Spec.NodeName = "machine-1"
	if revision != "" {
		pod.Labels[appsv1.ControllerRevisionHashLabelKey] = revision
	}
	return s.client.Create(ctx, pod)
}

// orphan lets the pod of a StatefulSet that is deleted with orphaning go its
// own way.
func (s *Simulation) orphan(ctx context.Context, set *appsv1.StatefulSet) error {
	if !slices.Contains(set.Finalizers, metav1.FinalizerOrphanDependents) {
		return nil
	}
	pod := &corev1.Pod{}
	err := s.client.Get(ctx, types.NamespacedName{Namespace: s.namespace, Name: set.Name + "-0"}, pod)
	if err == nil {
		pod.OwnerReferences = nil
		err = s.client.Update(ctx, pod)
	}
	if client.IgnoreNotFound(err) != nil {
		return err
	}
	set.Finalizers = nil
	return s.client.Update(ctx, set)
}

// Revision returns what the simulation calls a template of a workload: the same
// for equal templates.
func Revision(workload string, template *corev1.PodTemplateSpec) string {
	text, err := json.Marshal(template)
	if err != nil {
		panic(err)
	}
	h := fnv.New32a()
	h.Write(text)
	return fmt.Sprintf("%s-%08x", workload, h.Sum32())
}
