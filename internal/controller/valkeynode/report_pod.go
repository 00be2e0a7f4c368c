package valkeynode

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/render/vknode"
)

// podTrouble says why a pod is not ready. The kubelet changes its words while
// it tries again; ours stay the same for the same trouble.
func podTrouble(p *corev1.Pod) verdict {
	if v, found := unschedulable(p); found {
		return v
	}
	if p.Status.Phase == corev1.PodFailed || p.Status.Phase == corev1.PodSucceeded {
		return no(v1alpha1.ReasonPodNotReady, fmt.Sprintf("pod %s has ended: %s %s", p.Name, p.Status.Reason, p.Status.Message))
	}
	all := slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses)
	for _, look := range []func(*corev1.Pod, *corev1.ContainerStatus) (verdict, bool){imagePull, crash, notCreated} {
		for i := range all {
			if v, found := look(p, &all[i]); found {
				return v
			}
		}
	}
	if s := serverStatus(p); s == nil || s.State.Running == nil {
		return no(v1alpha1.ReasonPodPending, fmt.Sprintf("pod %s has not started its server yet", p.Name))
	}
	return no(v1alpha1.ReasonPodNotReady, fmt.Sprintf("pod %s runs and is not ready yet", p.Name))
}

func unschedulable(p *corev1.Pod) (verdict, bool) {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable {
			return no(v1alpha1.ReasonUnschedulable, fmt.Sprintf("pod %s cannot be scheduled: %s", p.Name, c.Message)), true
		}
	}
	return verdict{}, false
}

// imagePullReasons are those with which the kubelet waits for an image.
var imagePullReasons = []string{
	"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable",
}

func imagePull(p *corev1.Pod, c *corev1.ContainerStatus) (verdict, bool) {
	if c.State.Waiting == nil || !slices.Contains(imagePullReasons, c.State.Waiting.Reason) {
		return verdict{}, false
	}
	return no(v1alpha1.ReasonImagePull, fmt.Sprintf("image %s of container %s in pod %s cannot be pulled", c.Image, c.Name, p.Name)), true
}

// crash finds a container that ended with an error and does not run well since.
// It is one trouble whether the kubelet waits, or just tries again.
func crash(p *corev1.Pod, c *corev1.ContainerStatus) (verdict, bool) {
	ended := c.State.Terminated
	if ended == nil {
		ended = c.LastTerminationState.Terminated
	}
	if ended == nil || ended.ExitCode == 0 || c.Ready {
		return verdict{}, false
	}
	if ended.ExitCode == vknode.ExitDataDamaged && serverStatus(p) != nil && serverStatus(p).Name == c.Name {
		return damaged(p, lastWords(ended.Message)), true
	}
	return no(v1alpha1.ReasonCrashLoop, howEnded(p, c, ended)), true
}

// howEnded quotes what a server said last only where it ended of itself: one
// that was killed had no time to say why.
func howEnded(p *corev1.Pod, c *corev1.ContainerStatus, ended *corev1.ContainerStateTerminated) string {
	const signalled = 128
	switch {
	case ended.Reason == "OOMKilled":
		return fmt.Sprintf("container %s in pod %s was killed because it used more memory than its limit", c.Name, p.Name)
	case ended.ExitCode > signalled:
		return fmt.Sprintf("container %s in pod %s was ended by signal %d", c.Name, p.Name, ended.ExitCode-signalled)
	}
	message := fmt.Sprintf("container %s in pod %s ends with exit code %d", c.Name, p.Name, ended.ExitCode)
	if last := lastWords(ended.Message); last != "" {
		message += ", saying: " + last
	}
	return message
}

// damaged is the trouble of a pod whose server cannot load its data. Whether
// another server has the same data is nothing that a node knows.
func damaged(p *corev1.Pod, words string) verdict {
	storage := "the pod"
	for _, v := range p.Spec.Volumes {
		if v.PersistentVolumeClaim != nil {
			storage = fmt.Sprintf("the claim %s and the pod", v.PersistentVolumeClaim.ClaimName)
		}
	}
	return no(v1alpha1.ReasonDataDamaged, fmt.Sprintf(
		"the server in pod %s cannot load its data: %s; put a copy of the data in its place, or, if another server has the data or it is not wanted, delete %s",
		p.Name, words, storage))
}

// notCreated finds a container that the kubelet cannot create, for example
// because a Secret that it mounts does not exist.
func notCreated(p *corev1.Pod, c *corev1.ContainerStatus) (verdict, bool) {
	w := c.State.Waiting
	if w == nil || !strings.HasSuffix(w.Reason, "Error") {
		return verdict{}, false
	}
	return no(v1alpha1.ReasonPodPending, fmt.Sprintf("container %s in pod %s cannot be created: %s: %s", c.Name, p.Name, w.Reason, w.Message)), true
}
