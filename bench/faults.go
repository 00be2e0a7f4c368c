package main

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/podtest"
)

// nothing shows what clients notice when nothing happens: the noise of the
// machine.
func nothing(ctx context.Context, _ *cluster) error {
	sleep(ctx, 10*time.Second)
	return nil
}

// roll restarts all pods as a user would ask for it.
func roll(ctx context.Context, c *cluster) error {
	now, err := c.Cluster(ctx, clusterName)
	if err != nil {
		return err
	}
	patch := client.MergeFrom(now.DeepCopy())
	metav1.SetMetaDataAnnotation(&now.ObjectMeta, v1alpha1.AnnotationRestartedAt, time.Now().Format(time.RFC3339))
	if err := c.Patch(ctx, now, patch); err != nil {
		return err
	}
	return c.replacedAndReady(ctx, slices.Collect(maps.Values(c.pods))...)
}

func deletePrimary(ctx context.Context, c *cluster) error {
	if err := c.Delete(ctx, &c.primary); err != nil {
		return err
	}
	return c.replacedAndReady(ctx, c.primary)
}

// forceDeletePrimary removes the pod from the API server at once. Its machine
// then has about two seconds to end it.
func forceDeletePrimary(ctx context.Context, c *cluster) error {
	if err := c.ForceDelete(ctx, c.primary); err != nil {
		return err
	}
	return c.replacedAndReady(ctx, c.primary)
}

func (c *cluster) replacedAndReady(ctx context.Context, old ...corev1.Pod) error {
	return c.await(ctx, "the pods are replaced and the cluster is Ready", func(ctx context.Context) error {
		if err := c.Replaced(ctx, clusterName, old...); err != nil {
			return err
		}
		now, err := c.Cluster(ctx, clusterName)
		if err != nil {
			return err
		}
		return podtest.Ready(now)
	})
}

func killPrimary(ctx context.Context, c *cluster) error {
	if err := c.KillServer(ctx, c.primary); err != nil {
		return err
	}
	return c.awaitWhole(ctx)
}

// killPrimaryAlone is the engine's own work, and the pods'.
func killPrimaryAlone(ctx context.Context, c *cluster) (err error) {
	if err := c.StopOperator(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.StartOperator(context.WithoutCancel(ctx))) }()
	c.began = time.Now()
	return killPrimary(ctx, c)
}

// drainMachine drains the primary's machine of everything, perhaps also of the
// operator. The volumes are folders of their machines, and one pod of a cluster
// may be evicted at a time; so the machine takes pods again once the first one
// is gone, and the drain goes on with the second one when that is back.
func drainMachine(ctx context.Context, c *cluster) error {
	machine := c.primary.Spec.NodeName
	there := c.podsOn(machine)
	drained := make(chan error, 1)
	go func() {
		_, err := podtest.Kubectl(ctx, "drain", machine, "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=5m")
		drained <- err
	}()
	begun := c.await(ctx, "a pod is evicted", func(ctx context.Context) error { return c.someGone(ctx, there) })
	uncordoned := c.Uncordon(context.WithoutCancel(ctx), machine)
	if err := errors.Join(begun, uncordoned, <-drained); err != nil {
		return err
	}
	return c.replacedAndReady(ctx, there...)
}

func (c *cluster) podsOn(machine string) (there []corev1.Pod) {
	for _, p := range c.pods {
		if p.Spec.NodeName == machine {
			there = append(there, p)
		}
	}
	return there
}

func (c *cluster) someGone(ctx context.Context, old []corev1.Pod) error {
	now, err := c.Pods(ctx, clusterName)
	if err != nil {
		return err
	}
	for _, o := range old {
		if now[o.Labels[v1alpha1.LabelNode]].UID != o.UID {
			return nil
		}
	}
	return errors.New("all are still there")
}

func deleteAllPods(ctx context.Context, c *cluster) error {
	if err := c.DeletePods(ctx, clusterName); err != nil {
		return err
	}
	return c.await(ctx, "all slots are served by new pods", func(ctx context.Context) error {
		now, err := c.Pods(ctx, clusterName)
		if err != nil {
			return err
		}
		for name, old := range c.pods {
			if now[name].UID == old.UID {
				return errors.New(old.Name + " is not gone yet")
			}
		}
		servers, err := c.Ask(ctx, clusterName)
		if err != nil {
			return err
		}
		return servers.Served()
	})
}
