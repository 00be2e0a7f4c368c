package observe

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/render/vknode"
	"github.com/valkey-operator/valkey-operator/internal/topology"
)

// member is a ValkeyNode and its pod. Unknown is set when the server cannot be
// asked, with the reason.
func member(n *v1alpha1.ValkeyNode, pods map[string][]corev1.Pod) topology.Member {
	template := n.Spec.PodTemplate.Annotations
	p := current(pods[n.Name])
	m := topology.Member{
		Name:      topology.Name(n.Name),
		Shard:     index(n, v1alpha1.LabelShardIndex),
		Index:     index(n, v1alpha1.LabelNodeIndex),
		Deleting:  n.DeletionTimestamp != nil,
		Protected: slices.Contains(n.Finalizers, v1alpha1.FinalizerProtection),
		Template:  template[v1alpha1.AnnotationInputsHash],
		Guard:     ParseGuard(template[v1alpha1.AnnotationRollIf]),
		Volume:    volume(n, p),
		Last:      last(n),
	}
	if p == nil {
		m.Unknown = "it has no pod"
		return m
	}
	m.Pod, m.Unknown = pod(p)
	return m
}

// volume reports whether the data of the pod is on the node's claim. That of a
// pod from before persistence was added is not.
func volume(n *v1alpha1.ValkeyNode, p *corev1.Pod) bool {
	if p == nil {
		return n.Spec.Persistence != nil
	}
	return slices.ContainsFunc(p.Spec.Volumes, func(v corev1.Volume) bool {
		return v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == vknode.ClaimName(n)
	})
}

// index reads a label that holds a number; -1 stands for one that was edited
// into something else.
func index(n *v1alpha1.ValkeyNode, label string) int {
	i, err := strconv.Atoi(n.Labels[label])
	if err != nil {
		return -1
	}
	return i
}

// current returns the pod that counts: one that is not terminating before one
// that is, and the newest of those.
func current(pods []corev1.Pod) *corev1.Pod {
	var best *corev1.Pod
	for i := range pods {
		p := &pods[i]
		switch {
		case best == nil,
			best.DeletionTimestamp != nil && p.DeletionTimestamp == nil,
			(best.DeletionTimestamp == nil) == (p.DeletionTimestamp == nil) && best.CreationTimestamp.Before(&p.CreationTimestamp):
			best = p
		}
	}
	return best
}

// pod is a pod, and why its server cannot be asked, if so.
func pod(p *corev1.Pod) (*topology.Pod, string) {
	out := &topology.Pod{
		UID:         topology.PodUID(p.UID),
		Machine:     p.Spec.NodeName,
		Template:    p.Annotations[v1alpha1.AnnotationInputsHash],
		Ready:       condition(p, corev1.PodReady) == corev1.ConditionTrue,
		Terminating: p.DeletionTimestamp != nil,
	}
	if ip, err := netip.ParseAddr(p.Status.PodIP); err == nil {
		out.Addr = netip.AddrPortFrom(ip, v1alpha1.PortClient)
	}
	why := stopped(p)
	out.Stopped = why != ""
	if s := serverStatus(p); s != nil {
		out.Ran = s.State.Running != nil || s.State.Terminated != nil || s.LastTerminationState.Terminated != nil || s.RestartCount > 0
	}
	if why == "" && !out.Addr.IsValid() {
		why = "its pod has no address yet"
	}
	return out, why
}

// stopped says why it is certain that no server runs in the pod, by the word
// of the scheduler or of the machine's agent; otherwise it returns "".
func stopped(p *corev1.Pod) string {
	if p.Spec.NodeName == "" {
		for _, c := range p.Status.Conditions {
			if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
				return "its pod cannot be scheduled: " + strings.TrimSuffix(c.Message, ".")
			}
		}
		return "its pod is not scheduled yet"
	}
	if p.Status.Phase == corev1.PodFailed || p.Status.Phase == corev1.PodSucceeded {
		return "its pod has ended"
	}
	s := serverStatus(p)
	if s == nil || s.State.Running != nil {
		return ""
	}
	return waiting(s)
}

// waiting puts into words why a container does not run. The two steps of a
// back-off have the same words, so that a status does not change with them.
func waiting(s *corev1.ContainerStatus) string {
	switch w := s.State.Waiting; {
	case w == nil || w.Reason == "CrashLoopBackOff":
		return "its container ends again and again"
	case slices.Contains([]string{"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"}, w.Reason):
		return "image " + s.Image + " cannot be pulled"
	case w.Reason == "" || w.Reason == "ContainerCreating" || w.Reason == "PodInitializing":
		return "its container is being created"
	default:
		return "its container waits: " + w.Reason
	}
}

func serverStatus(p *corev1.Pod) *corev1.ContainerStatus {
	for i := range p.Status.ContainerStatuses {
		if p.Status.ContainerStatuses[i].Name == v1alpha1.ServerContainer {
			return &p.Status.ContainerStatuses[i]
		}
	}
	return nil
}

func condition(p *corev1.Pod, kind corev1.PodConditionType) corev1.ConditionStatus {
	for _, c := range p.Status.Conditions {
		if c.Type == kind {
			return c.Status
		}
	}
	return corev1.ConditionUnknown
}

// ParseGuard reads the annotation valkey.io/roll-if: <pod UID>/<role>.
func ParseGuard(text string) topology.Guard {
	uid, role, found := strings.Cut(text, "/")
	if !found {
		return topology.Guard{}
	}
	return topology.Guard{Pod: topology.PodUID(uid), Role: topology.Role(role)}
}
