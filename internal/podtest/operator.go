package podtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Where the operator is when it is installed from dist/install.yaml.
const (
	OperatorNamespace  = "valkey-operator-system"
	operatorDeployment = "valkey-operator"
	operatorLease      = "valkey-operator.valkey.io"
)

// operatorPatience is how long the operator may take to start or to end.
const operatorPatience = 3 * time.Minute

func (k Kube) operatorPods(ctx context.Context) ([]corev1.Pod, error) {
	list := &corev1.PodList{}
	err := k.List(ctx, list, client.InNamespace(OperatorNamespace), client.MatchingLabels{"app.kubernetes.io/name": operatorDeployment})
	return list.Items, err
}

// KillOperator deletes the operator's pods without grace and returns how many
// there were.
func (k Kube) KillOperator(ctx context.Context) (int, error) {
	pods, err := k.operatorPods(ctx)
	if err != nil {
		return 0, err
	}
	killed := 0
	for _, p := range pods {
		if p.DeletionTimestamp != nil {
			continue
		}
		if err := client.IgnoreNotFound(k.Delete(ctx, &p, client.GracePeriodSeconds(0))); err != nil {
			return killed, err
		}
		killed++
	}
	return killed, nil
}

// StopOperator scales the operator to nothing, and waits until it is gone.
func (k Kube) StopOperator(ctx context.Context) error {
	if err := k.scaleOperator(ctx, 0); err != nil {
		return err
	}
	return Until(ctx, operatorPatience, 100*time.Millisecond, "the operator has stopped", func() error {
		pods, err := k.operatorPods(ctx)
		if err == nil && len(pods) > 0 {
			err = fmt.Errorf("%d pods are left", len(pods))
		}
		return err
	})
}

// StartOperator makes sure that one operator runs and leads.
func (k Kube) StartOperator(ctx context.Context) error {
	if err := k.scaleOperator(ctx, 1); err != nil {
		return err
	}
	return k.awaitLeader(ctx)
}

func (k Kube) scaleOperator(ctx context.Context, replicas int32) error {
	d := &appsv1.Deployment{}
	if err := k.Get(ctx, client.ObjectKey{Namespace: OperatorNamespace, Name: operatorDeployment}, d); err != nil {
		return err
	}
	if ptr.Deref(d.Spec.Replicas, 1) == replicas {
		return nil
	}
	patch := client.MergeFrom(d.DeepCopy())
	d.Spec.Replicas = &replicas
	return k.Patch(ctx, d, patch)
}

// awaitLeader waits until a pod that exists holds the operator's lease.
func (k Kube) awaitLeader(ctx context.Context) error {
	return Until(ctx, operatorPatience, 100*time.Millisecond, "the operator leads", func() error {
		pods, err := k.operatorPods(ctx)
		if err != nil {
			return err
		}
		holder, err := k.leader(ctx)
		if err != nil {
			return err
		}
		for _, p := range pods {
			if p.DeletionTimestamp == nil && PodReady(p) && strings.HasPrefix(holder, p.Name+"_") {
				return nil
			}
		}
		return errors.New("no pod of the operator holds its lease")
	})
}

// leader returns the identity of who holds the operator's lease: the name of a
// pod, "_" and something that is new with each start.
func (k Kube) leader(ctx context.Context) (string, error) {
	lease := &coordinationv1.Lease{}
	err := k.Get(ctx, client.ObjectKey{Namespace: OperatorNamespace, Name: operatorLease}, lease)
	return ptr.Deref(lease.Spec.HolderIdentity, ""), err
}
