package valkeynode

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

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
	return growth(s.claim, capacity, &wanted)
}

// growth says how far the storage has got with growing the volume of a claim.
func growth(c *corev1.PersistentVolumeClaim, has, wanted *resource.Quantity) verdict {
	sizes := fmt.Sprintf("the volume has %s and is to have %s", has, wanted)
	failure := resizeFailure(c)
	switch step := c.Status.AllocatedResourceStatuses[corev1.ResourceStorage]; {
	case step == corev1.PersistentVolumeClaimControllerResizeInfeasible, step == corev1.PersistentVolumeClaimNodeResizeInfeasible:
		return no(v1alpha1.ReasonResizeInfeasible, fmt.Sprintf(
			"%s, which the storage says is not possible%s; set size to what it can give, %s or more", sizes, failure, has))
	case failure != "":
		return no(v1alpha1.ReasonResizeFailed, sizes+"; growing it failed, and is tried again"+failure)
	case step == corev1.PersistentVolumeClaimNodeResizePending, step == corev1.PersistentVolumeClaimNodeResizeInProgress,
		holds(c, corev1.PersistentVolumeClaimFileSystemResizePending):
		return no(v1alpha1.ReasonFileSystemPending, sizes+"; the storage has grown it, and its file system grows next")
	case step == corev1.PersistentVolumeClaimControllerResizeInProgress, holds(c, corev1.PersistentVolumeClaimResizing):
		return no(v1alpha1.ReasonResizing, sizes+"; the storage is growing it")
	}
	return no(v1alpha1.ReasonResizePending, sizes+"; the storage has not begun yet")
}

// resizeFailure is why growing failed last, as the end of a sentence.
func resizeFailure(c *corev1.PersistentVolumeClaim) string {
	for _, kind := range []corev1.PersistentVolumeClaimConditionType{
		corev1.PersistentVolumeClaimControllerResizeError, corev1.PersistentVolumeClaimNodeResizeError,
	} {
		if i := indexOf(c, kind); i >= 0 {
			return ": " + cmp.Or(c.Status.Conditions[i].Message, c.Status.Conditions[i].Reason, string(kind))
		}
	}
	return ""
}

func holds(c *corev1.PersistentVolumeClaim, kind corev1.PersistentVolumeClaimConditionType) bool {
	return indexOf(c, kind) >= 0
}

// indexOf returns where the claim has a condition that is true, or -1.
func indexOf(c *corev1.PersistentVolumeClaim, kind corev1.PersistentVolumeClaimConditionType) int {
	return slices.IndexFunc(c.Status.Conditions, func(o corev1.PersistentVolumeClaimCondition) bool {
		return o.Type == kind && o.Status == corev1.ConditionTrue
	})
}
