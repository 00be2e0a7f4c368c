package podsim

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/internal/apitest"
)

// statefulSets give each StatefulSet its revision and its pod.
func (m *machines) statefulSets(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	set := &appsv1.StatefulSet{}
	if err := m.client.Get(ctx, req.NamespacedName, set); err != nil || set.DeletionTimestamp != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	revision := apitest.Revision(set.Name, &set.Spec.Template)
	if err := m.ensurePod(ctx, set, revision); err != nil {
		return ctrl.Result{}, err
	}
	if set.Status.ObservedGeneration == set.Generation {
		return ctrl.Result{}, nil
	}
	before := set.DeepCopy()
	set.Status.ObservedGeneration, set.Status.UpdateRevision = set.Generation, revision
	set.Status.Replicas = 1
	return ctrl.Result{}, m.setStatus(ctx, before, set)
}

func (m *machines) ensurePod(ctx context.Context, set *appsv1.StatefulSet, revision string) error {
	name := types.NamespacedName{Namespace: set.Namespace, Name: set.Name + "-0"}
	err := m.client.Get(ctx, name, &corev1.Pod{})
	if !apierrors.IsNotFound(err) {
		return err
	}
	template := set.Spec.Template.DeepCopy()
	pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	pod.Name, pod.Namespace = name.Name, name.Namespace
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("StatefulSet"))}
	pod.Labels[appsv1.ControllerRevisionHashLabelKey] = revision
	pod.Spec.NodeName = "machine-1"
	if err := m.client.Create(ctx, pod); !apierrors.IsAlreadyExists(err) {
		return err
	}
	return nil
}

// pods have pods run, and go when they are deleted.
func (m *machines) pods(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	pod := &corev1.Pod{}
	if err := m.client.Get(ctx, req.NamespacedName, pod); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if pod.DeletionTimestamp != nil {
		m.end(pod.UID)
		return ctrl.Result{}, client.IgnoreNotFound(m.client.Delete(ctx, pod, client.GracePeriodSeconds(0)))
	}
	s, err := m.run(pod)
	if err != nil {
		return ctrl.Result{}, err
	}
	before := pod.DeepCopy()
	fault, _ := s.cluster.trouble()
	setRunning(pod, s.addr().String(), fault != Unready)
	return ctrl.Result{}, m.setStatus(ctx, before, pod)
}

func setRunning(pod *corev1.Pod, ip string, ready bool) {
	pod.Status.Phase = corev1.PodRunning
	pod.Status.PodIP, pod.Status.PodIPs = ip, []corev1.PodIP{{IP: ip}}
	status := corev1.ConditionFalse
	if ready {
		status = corev1.ConditionTrue
	}
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: status}}
	pod.Status.ContainerStatuses = nil
	for _, c := range pod.Spec.Containers {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, Ready: ready,
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
		})
	}
}

// setStatus writes the status of an object that was changed, if it was.
func (m *machines) setStatus(ctx context.Context, before, after client.Object) error {
	if equality.Semantic.DeepEqual(before, after) {
		return nil
	}
	return client.IgnoreNotFound(m.client.Status().Patch(ctx, after, client.MergeFrom(before)))
}
