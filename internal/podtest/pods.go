package podtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// KillServer kills the server in a pod with SIGKILL. The container ends with
// it, and with the container the command, so only the container tells whether
// it worked.
func (n Namespace) KillServer(ctx context.Context, pod corev1.Pod) error {
	const script = `for p in /proc/[0-9]*; do read -r name <$p/comm; [ "$name" != valkey-server ] || kill -9 ${p#/proc/}; done`
	before := restarts(pod)
	_, said := Kubectl(ctx, "-n", n.Name, "exec", pod.Name, "-c", v1alpha1.ServerContainer, "--", "sh", "-c", script)
	return Until(ctx, time.Minute, 100*time.Millisecond, "the container of "+pod.Name+" has ended", func() error {
		now := &corev1.Pod{}
		if err := n.Get(ctx, client.ObjectKeyFromObject(&pod), now); err != nil {
			return err
		}
		if now.UID == pod.UID && restarts(*now) == before && running(*now) {
			return errors.Join(errors.New("it still runs"), said)
		}
		return nil
	})
}

func restarts(p corev1.Pod) int32 {
	var sum int32
	for _, c := range p.Status.ContainerStatuses {
		sum += c.RestartCount
	}
	return sum
}

func running(p corev1.Pod) bool {
	for _, c := range p.Status.ContainerStatuses {
		if c.Name == v1alpha1.ServerContainer {
			return c.State.Running != nil
		}
	}
	return false
}

// DeletePods deletes all pods of a cluster at once.
func (n Namespace) DeletePods(ctx context.Context, cluster string) error {
	return n.DeleteAllOf(ctx, &corev1.Pod{}, client.InNamespace(n.Name), client.MatchingLabels{v1alpha1.LabelCluster: cluster})
}

// ForceDelete removes a pod from the API server without waiting for its end.
func (n Namespace) ForceDelete(ctx context.Context, pod corev1.Pod) error {
	return client.IgnoreNotFound(n.Delete(ctx, &pod, client.GracePeriodSeconds(0)))
}

// Replaced returns nil if none of these pods is there any more and each has a
// successor that is ready.
func (n Namespace) Replaced(ctx context.Context, cluster string, old ...corev1.Pod) error {
	pods, err := n.Pods(ctx, cluster)
	if err != nil {
		return err
	}
	for _, o := range old {
		switch now := pods[o.Labels[v1alpha1.LabelNode]]; {
		case now.UID == o.UID, now.UID == "", now.DeletionTimestamp != nil:
			return fmt.Errorf("pod %s is not replaced yet", o.Name)
		case !PodReady(now):
			return fmt.Errorf("the new pod %s is not ready", now.Name)
		}
	}
	return nil
}

// PodReady reports whether a pod says that it is ready.
func PodReady(p corev1.Pod) bool {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// Gone returns nil if the object is no more.
func (k Kube) Gone(ctx context.Context, o client.Object) error {
	err := k.Get(ctx, client.ObjectKeyFromObject(o), o)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("%s is still there", strings.TrimSpace(o.GetNamespace()+" "+o.GetName()))
	}
	return err
}
