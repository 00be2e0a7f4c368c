package observe

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/topology"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// Machines reads Kubernetes nodes, each once, so it is good for one pass. Its
// reader is a live one, because only those are read that a server has
// disappeared with.
type Machines struct {
	Reader client.Reader
	read   map[string]machine
}

// machine is a Kubernetes node, or why it could not be read.
type machine struct {
	node corev1.Node
	err  error
}

func (m *Machines) named(ctx context.Context, name string) machine {
	if found, known := m.read[name]; known {
		return found
	}
	var found machine
	found.err = m.Reader.Get(ctx, client.ObjectKey{Name: name}, &found.node)
	if m.read == nil {
		m.read = map[string]machine{}
	}
	m.read[name] = found
	return found
}

// last is the server of n that answered last.
func last(n *v1alpha1.ValkeyNode) topology.Last {
	s := n.Status.LastServer
	if s == nil {
		return topology.Last{}
	}
	return topology.Last{ID: topology.NodeID(s.NodeID), Pod: topology.PodUID(s.PodUID), Machine: s.Machine}
}

// fence says why it is certain that the server that answered last has ended and
// cannot come back unnoticed, or "". Silence says nothing: a machine that is cut
// off may serve those who still reach it (N11).
//
// The machine's agent vouches for what it runs; its word may be old, so that it
// counts only together with a server that refuses connections now. Of a machine
// that does not report any more, only whoever took it out of service knows.
func fence(ctx context.Context, machines *Machines, m topology.Member, pods []corev1.Pod, err error) string {
	if m.Last == (topology.Last{}) {
		return ""
	}
	i := slices.IndexFunc(pods, func(p corev1.Pod) bool { return topology.PodUID(p.UID) == m.Last.Pod })
	if i >= 0 {
		pod := &pods[i]
		if why := ended(pod, errors.Is(err, valkey.ErrRefused)); why != "" || pod.DeletionTimestamp == nil {
			return why
		}
	}
	return machines.gone(ctx, m.Last.Machine, i < 0)
}

// ended says that the server in the pod has ended, by the word of the machine's
// agent.
func ended(p *corev1.Pod, refused bool) string {
	if p.Status.Phase == corev1.PodFailed {
		return "its pod has failed"
	}
	s := serverStatus(p)
	if !refused || s == nil || s.State.Running != nil || s.State.Terminated == nil && s.LastTerminationState.Terminated == nil {
		return ""
	}
	if end := s.State.Terminated; end != nil && end.ExitCode == 0 {
		return "" // it has saved its data and is about to be started again
	}
	return "its container has ended"
}

// gone says that nothing runs on the machine any more: it was declared out of
// service, or its Node object and the pod were deleted.
func (m *Machines) gone(ctx context.Context, name string, podGone bool) string {
	if name == "" || m.Reader == nil {
		return ""
	}
	found := m.named(ctx, name)
	switch {
	case apierrors.IsNotFound(found.err) && podGone:
		return fmt.Sprintf("its pod and its machine %s were deleted", name)
	case found.err != nil: // no evidence; the rest of the pass needs none
		return ""
	}
	if slices.ContainsFunc(found.node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeOutOfService }) {
		return fmt.Sprintf("its machine %s is out of service", name)
	}
	return ""
}
