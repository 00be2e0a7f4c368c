package apitest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Simulation does in one namespace what the controllers of Kubernetes and a
// kubelet would do, as far as the operator can tell: StatefulSets and
// Deployments get their pod, pods become ready and go when they are deleted,
// claims get volumes, owned objects go with their owner.
type Simulation struct {
	client    client.Client
	namespace string

	mu       sync.Mutex
	pod      func(*corev1.Pod)
	claim    func(*corev1.PersistentVolumeClaim)
	lingers  bool
	lastAddr atomic.Uint32
}

// tick is how often the simulation looks for something to do.
const tick = 25 * time.Millisecond

// Simulate runs a simulation until the test ends.
func (a *API) Simulate(t *testing.T, namespace string) *Simulation {
	t.Helper()
	s := &Simulation{client: a.Client, namespace: namespace}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			s.step(ctx, t)
			select {
			case <-ctx.Done():
			case <-time.After(tick):
			}
		}
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
	return s
}

// Pods has f change what the status of every pod becomes. Without it pods are
// running and ready.
func (s *Simulation) Pods(f func(*corev1.Pod)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pod = f
}

// Claims has f change what the status of every claim becomes. Without it claims
// are bound and have what they ask for.
func (s *Simulation) Claims(f func(*corev1.PersistentVolumeClaim)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.claim = f
}

// Linger has pods that are deleted stay in deletion, as on a machine that is
// lost, or lets them go again.
func (s *Simulation) Linger(lingers bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lingers = lingers
}

// step does once whatever is to do. What fails because somebody else wrote at
// the same moment is done by the next step.
func (s *Simulation) step(ctx context.Context, t *testing.T) {
	for _, do := range []func(context.Context) error{s.statefulSets, s.deployments, s.pods, s.claims, s.garbage} {
		err := do(ctx)
		if err != nil && ctx.Err() == nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) && !apierrors.IsAlreadyExists(err) {
			t.Logf("simulation: %v", err)
		}
	}
}

// pods lets pods start, and end.
func (s *Simulation) pods(ctx context.Context) error {
	s.mu.Lock()
	change, lingers := s.pod, s.lingers
	s.mu.Unlock()
	var pods corev1.PodList
	if err := s.client.List(ctx, &pods, client.InNamespace(s.namespace)); err != nil {
		return err
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		switch {
		case pod.DeletionTimestamp == nil:
			if err := s.start(ctx, pod, change); err != nil {
				return err
			}
		case !lingers:
			if err := s.client.Delete(ctx, pod, client.GracePeriodSeconds(0)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Simulation) start(ctx context.Context, pod *corev1.Pod, change func(*corev1.Pod)) error {
	before := pod.DeepCopy()
	pod.Status.Phase = corev1.PodRunning
	if pod.Status.PodIP == "" {
		n := s.lastAddr.Add(1)
		pod.Status.PodIP = fmt.Sprintf("10.1.%d.%d", n/250, 1+n%250)
		pod.Status.PodIPs = []corev1.PodIP{{IP: pod.Status.PodIP}}
	}
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	pod.Status.ContainerStatuses = nil
	for _, c := range pod.Spec.Containers {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, Ready: true,
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
		})
	}
	if change != nil {
		change(pod)
	}
	return s.setStatus(ctx, before, pod)
}

// setStatus writes the status of an object that was changed, if it was.
func (s *Simulation) setStatus(ctx context.Context, before, after client.Object) error {
	if equality.Semantic.DeepEqual(before, after) {
		return nil
	}
	return s.client.Status().Patch(ctx, after, client.MergeFrom(before))
}

// claims gives claims their volumes, and ends those that no pod uses any more.
func (s *Simulation) claims(ctx context.Context) error {
	s.mu.Lock()
	change := s.claim
	s.mu.Unlock()
	var claims corev1.PersistentVolumeClaimList
	if err := s.client.List(ctx, &claims, client.InNamespace(s.namespace)); err != nil {
		return err
	}
	for i := range claims.Items {
		claim := &claims.Items[i]
		before := claim.DeepCopy()
		claim.Status.Phase = corev1.ClaimBound
		claim.Status.Capacity = claim.Spec.Resources.Requests
		if change != nil {
			change(claim)
		}
		if err := s.setStatus(ctx, before, claim); err != nil {
			return err
		}
		if err := s.endClaim(ctx, claim); err != nil {
			return err
		}
	}
	return nil
}

func (s *Simulation) endClaim(ctx context.Context, claim *corev1.PersistentVolumeClaim) error {
	if claim.DeletionTimestamp == nil {
		return nil
	}
	var pods corev1.PodList
	if err := s.client.List(ctx, &pods, client.InNamespace(s.namespace)); err != nil {
		return err
	}
	for _, pod := range pods.Items {
		for _, v := range pod.Spec.Volumes {
			if v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == claim.Name {
				return nil
			}
		}
	}
	before := claim.DeepCopy()
	claim.Finalizers = slices.DeleteFunc(claim.Finalizers, func(f string) bool { return f == "kubernetes.io/pvc-protection" })
	if len(claim.Finalizers) == len(before.Finalizers) {
		return nil
	}
	return s.client.Patch(ctx, claim, client.MergeFrom(before))
}
