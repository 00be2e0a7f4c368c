package valkeynode

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// roleUnknown is the role, in a guard, of a server that did not answer.
const roleUnknown = "unknown"

// guard is the pod, and its role, that a parent decided to replace.
type guard struct {
	pod  types.UID
	role string // primary, replica or unknown
}

// guardOf returns the guard that was written with the node's pod template, or
// nil if there is none. One that cannot be read fits no pod.
func guardOf(n *v1alpha1.ValkeyNode) *guard {
	text, ok := n.Spec.PodTemplate.Annotations[v1alpha1.AnnotationRollIf]
	if !ok {
		return nil
	}
	pod, role, _ := strings.Cut(text, "/")
	return &guard{pod: types.UID(pod), role: role}
}

// allows returns nil if the pod may be replaced as far as the guard goes, and
// otherwise why not. The role is "" for a server that does not answer; linked
// says whether a replica is connected to its primary. One that is not may have
// the only copy by now.
//
// Both must be as the parent saw them. A role that was not seen is no excuse: a
// server that stopped answering may have become primary just before. Then the
// parent, which knows what else there is of the shard, writes the guard anew,
// with the role "unknown". That counts only while the pod is not ready.
func (g *guard) allows(pod types.UID, ready bool, role v1alpha1.NodeRole, linked bool) error {
	observed := string(role)
	if observed == "" {
		observed = roleUnknown
	}
	switch {
	case g == nil:
		return nil
	case g.pod != pod:
		return fmt.Errorf("the decision to replace it was made for pod %q, and the pod is now %s", g.pod, pod)
	case g.role != observed:
		return fmt.Errorf("the decision to replace it was made for role %q, and the role is now %s", g.role, observed)
	case role == v1alpha1.RoleReplica && !linked:
		return errors.New("the decision to replace it was made while it was a replica in sync, and it has lost its primary since")
	case g.role == roleUnknown && ready:
		return fmt.Errorf("the decision to replace it was made while its server did not answer, and the pod is ready now")
	}
	return nil
}
