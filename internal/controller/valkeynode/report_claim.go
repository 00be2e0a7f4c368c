package valkeynode

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/render/vknode"
)

// claim is the condition PersistentVolumeClaimReady.
func claim(s *seen, d done) verdict {
	var problem *claimProblem
	switch {
	case errors.As(d.claim, &problem) && problem.reason != v1alpha1.ReasonResizeRefused:
		return no(problem.reason, problem.message)
	case s.claim == nil && d.claim != nil:
		return no(v1alpha1.ReasonRefused, d.claim.Error())
	case s.claim == nil:
		return no(v1alpha1.ReasonClaimPending, fmt.Sprintf("claim %s is being made", vknode.ClaimName(s.node)))
	}
	return binding(s)
}

func binding(s *seen) verdict {
	name := s.claim.Name
	switch s.claim.Status.Phase {
	case corev1.ClaimBound:
		return yes(v1alpha1.ReasonClaimBound, fmt.Sprintf("claim %s is bound", name))
	case corev1.ClaimLost:
		return no(v1alpha1.ReasonClaimLost, fmt.Sprintf("claim %s has lost its volume %s", name, s.claim.Spec.VolumeName))
	}
	switch {
	case s.claim.Spec.StorageClassName == nil:
		return no(v1alpha1.ReasonNoStorageClass, fmt.Sprintf(
			"claim %s waits for a volume: persistence names no storageClassName, and no StorageClass is the default", name))
	case s.class.missing:
		return no(v1alpha1.ReasonStorageClass, fmt.Sprintf("claim %s waits for a volume: there is no StorageClass %s", name, s.class.name))
	case s.class.waitsForPod && (s.pod == nil || s.pod.Spec.NodeName == ""):
		return yes(v1alpha1.ReasonClaimWaitsForPod, fmt.Sprintf("claim %s gets its volume once the pod is scheduled", name))
	}
	return no(v1alpha1.ReasonClaimPending, fmt.Sprintf("claim %s waits for its volume", name))
}

// claimSize is the condition PersistentVolumeClaimSizeReady. ready is the one
// of the claim itself.
func claimSize(s *seen, d done, ready verdict) verdict {
	wanted := s.node.Spec.Persistence.Size
	if s.claim == nil || s.claim.Status.Phase != corev1.ClaimBound {
		return unknown(ready.reason, "the claim has no volume yet")
	}
	capacity := s.claim.Status.Capacity.Storage()
	if capacity.Cmp(wanted) >= 0 {
		return yes(v1alpha1.ReasonUpToDate, fmt.Sprintf("the volume has %s", capacity))
	}
	var problem *claimProblem
	if errors.As(d.claim, &problem) && problem.reason == v1alpha1.ReasonResizeRefused {
		return no(problem.reason, problem.message)
	}
	return no(v1alpha1.ReasonResizing, growth(capacity, &wanted))
}

func growth(has, wanted *resource.Quantity) string {
	return fmt.Sprintf("the volume has %s and is to have %s", has, wanted)
}
