package valkeynode

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// verdict is one condition before it has a time.
type verdict struct {
	status  metav1.ConditionStatus
	reason  string
	message string
}

func yes(reason, message string) verdict { return verdict{metav1.ConditionTrue, reason, message} }
func no(reason, message string) verdict  { return verdict{metav1.ConditionFalse, reason, message} }
func unknown(reason, message string) verdict {
	return verdict{metav1.ConditionUnknown, reason, message}
}

// statusOf returns the status of a node after a pass, from scratch.
func statusOf(s *seen, d done) v1alpha1.ValkeyNodeStatus {
	status := facts(s)
	ready := readiness(s)
	status.Ready = ready.status == metav1.ConditionTrue
	add(&status, s, v1alpha1.ConditionReady, ready)
	add(&status, s, v1alpha1.ConditionProgressing, progress(s, d, ready))
	add(&status, s, v1alpha1.ConditionResourcesReady, resources(s, d))
	add(&status, s, v1alpha1.ConditionConfigApplied, configuration(s, d.settings, ready))
	if s.node.Spec.Persistence != nil {
		claim := claim(s, d)
		add(&status, s, v1alpha1.ConditionClaimReady, claim)
		add(&status, s, v1alpha1.ConditionClaimSizeReady, claimSize(s, d, claim))
	}
	return status
}

// departing returns the status of a node that is on its way out.
func departing(s *seen, waitsFor string) v1alpha1.ValkeyNodeStatus {
	status := facts(s)
	add(&status, s, v1alpha1.ConditionReady, no(v1alpha1.ReasonDeleting, "the node is being deleted"))
	add(&status, s, v1alpha1.ConditionProgressing, yes(v1alpha1.ReasonDeleting, waitsFor))
	return status
}

// facts are the parts of the status that are not judged.
func facts(s *seen) v1alpha1.ValkeyNodeStatus {
	status := v1alpha1.ValkeyNodeStatus{ObservedGeneration: s.node.Generation, ObservedRole: s.role()}
	if s.pod != nil {
		status.PodName, status.PodIP = s.pod.Name, s.pod.Status.PodIP
	}
	if s.claim != nil {
		status.PVCName = s.claim.Name
	}
	if status.ObservedRole == v1alpha1.RoleReplica {
		status.ObservedReplicaOf = s.replicaOf
	}
	status.LastServer = s.lastServer()
	return status
}

// lastServer is the server that answers, or else the one that did before.
func (s *seen) lastServer() *v1alpha1.LastServer {
	before := s.node.Status.LastServer
	if s.pod == nil || s.server == nil || s.server.NodeID == "" {
		return before
	}
	// A server that lost its identity is a replica of nobody, and takes nobody's
	// place before it is somebody's.
	if nobodys := s.server.Role == valkey.Replica && s.server.Primary.Host == ""; nobodys && before != nil && before.NodeID != string(s.server.NodeID) {
		return before
	}
	return &v1alpha1.LastServer{NodeID: string(s.server.NodeID), PodUID: s.pod.UID, Machine: s.pod.Spec.NodeName}
}

func add(status *v1alpha1.ValkeyNodeStatus, s *seen, kind string, v verdict) {
	status.Conditions = append(status.Conditions, metav1.Condition{
		Type:               kind,
		Status:             v.status,
		Reason:             v.reason,
		Message:            v.message,
		ObservedGeneration: s.node.Generation,
	})
}

// dated gives each condition the time of its last transition: the one that it
// had, unless its status changed.
func dated(status v1alpha1.ValkeyNodeStatus, before []metav1.Condition, now metav1.Time) v1alpha1.ValkeyNodeStatus {
	status.Conditions = slices.Clone(status.Conditions)
	for i := range status.Conditions {
		c := &status.Conditions[i]
		c.LastTransitionTime = now
		if old := find(before, c.Type); old != nil && old.Status == c.Status {
			c.LastTransitionTime = old.LastTransitionTime
		}
	}
	return status
}

func find(conditions []metav1.Condition, kind string) *metav1.Condition {
	i := slices.IndexFunc(conditions, func(c metav1.Condition) bool { return c.Type == kind })
	if i < 0 {
		return nil
	}
	return &conditions[i]
}
