package main

import (
	"context"
	"log"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// A grower plays the part of the external resizer: it gives a claim the size
// that was asked for later. The API server has let the request pass, so the
// class allows it.
type grower struct {
	client kubernetes.Interface
	claims cache.SharedIndexInformer
	queue  workqueue.TypedRateLimitingInterface[string]
}

func newGrower(client kubernetes.Interface) *grower {
	g := &grower{
		client: client,
		claims: informers.NewSharedInformerFactory(client, 0).Core().V1().PersistentVolumeClaims().Informer(),
		queue: workqueue.NewTypedRateLimitingQueue(
			workqueue.NewTypedItemExponentialFailureRateLimiter[string](100*time.Millisecond, 10*time.Second)),
	}
	_, _ = g.claims.AddEventHandler(cache.ResourceEventHandlerFuncs{ // fails only when the informer has stopped
		AddFunc:    g.enqueue,
		UpdateFunc: func(_, claim any) { g.enqueue(claim) },
	})
	return g
}

func (g *grower) enqueue(object any) {
	claim := object.(*v1.PersistentVolumeClaim)
	if _, grow := wantedSize(claim); grow {
		g.queue.Add(claim.Namespace + "/" + claim.Name)
	}
}

func (g *grower) run(ctx context.Context) {
	go g.claims.RunWithContext(ctx)
	for {
		key, shutdown := g.queue.Get()
		if shutdown {
			return
		}
		if err := g.growKey(ctx, key); err != nil {
			log.Printf("grow %s: %v", key, err)
			g.queue.AddRateLimited(key)
		} else {
			g.queue.Forget(key)
		}
		g.queue.Done(key)
	}
}

func (g *grower) growKey(ctx context.Context, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	claim, err := g.client.CoreV1().PersistentVolumeClaims(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	size, grow := wantedSize(claim)
	if !grow {
		return nil
	}
	volume, err := g.client.CoreV1().PersistentVolumes().Get(ctx, claim.Spec.VolumeName, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if volume.Annotations[annProvisionedBy] != provisionerName {
		return nil
	}
	return g.grow(ctx, claim, volume, size)
}

// grow takes the steps in the order of a real storage driver, each of them
// visible: announced in the claim, done, noted in the volume, then in the claim.
func (g *grower) grow(ctx context.Context, claim *v1.PersistentVolumeClaim, volume *v1.PersistentVolume, size resource.Quantity) error {
	claims, volumes := g.client.CoreV1().PersistentVolumeClaims(claim.Namespace), g.client.CoreV1().PersistentVolumes()
	claim, err := claims.UpdateStatus(ctx, growing(claim, size), metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	if limited(volume) {
		if err := growLimited(volume.Spec.Local.Path, size.Value()); err != nil {
			return err
		}
	}
	volume = volume.DeepCopy()
	volume.Spec.Capacity[v1.ResourceStorage] = size
	if _, err := volumes.Update(ctx, volume, metav1.UpdateOptions{}); err != nil {
		return err
	}
	_, err = claims.UpdateStatus(ctx, grown(claim, size), metav1.UpdateOptions{})
	return err
}

// wantedSize returns the size that a bound claim asks for, and whether that is
// more than it has.
func wantedSize(claim *v1.PersistentVolumeClaim) (resource.Quantity, bool) {
	want := claim.Spec.Resources.Requests[v1.ResourceStorage]
	have := claim.Status.Capacity[v1.ResourceStorage]
	return want, claim.Status.Phase == v1.ClaimBound && want.Cmp(have) > 0
}

// growing returns the claim with a status that announces the growth.
func growing(claim *v1.PersistentVolumeClaim, size resource.Quantity) *v1.PersistentVolumeClaim {
	claim = claim.DeepCopy()
	claim.Status.AllocatedResources = v1.ResourceList{v1.ResourceStorage: size}
	claim.Status.AllocatedResourceStatuses = map[v1.ResourceName]v1.ClaimResourceStatus{
		v1.ResourceStorage: v1.PersistentVolumeClaimControllerResizeInProgress,
	}
	claim.Status.Conditions = append(withoutResizing(claim.Status.Conditions), v1.PersistentVolumeClaimCondition{
		Type: v1.PersistentVolumeClaimResizing, Status: v1.ConditionTrue, LastTransitionTime: metav1.Now(),
	})
	return claim
}

// grown returns the claim with a status that says the growth is done.
func grown(claim *v1.PersistentVolumeClaim, size resource.Quantity) *v1.PersistentVolumeClaim {
	claim = claim.DeepCopy()
	claim.Status.Capacity = v1.ResourceList{v1.ResourceStorage: size}
	claim.Status.AllocatedResourceStatuses = nil
	claim.Status.Conditions = withoutResizing(claim.Status.Conditions)
	return claim
}

func withoutResizing(conditions []v1.PersistentVolumeClaimCondition) (rest []v1.PersistentVolumeClaimCondition) {
	for _, c := range conditions {
		if c.Type != v1.PersistentVolumeClaimResizing {
			rest = append(rest, c)
		}
	}
	return rest
}
