package valkeynode

import (
	"errors"
	"fmt"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/render/vknode"
)

// readiness is the condition Ready: the pod is ready and its server answers.
func readiness(s *seen) verdict {
	switch {
	case s.pod == nil:
		return no(v1alpha1.ReasonPodPending, "there is no pod yet")
	case s.pod.DeletionTimestamp != nil:
		return no(v1alpha1.ReasonPodNotReady, fmt.Sprintf("pod %s is being deleted", s.pod.Name))
	case !isReady(s.pod):
		return podTrouble(s.pod)
	case s.server == nil:
		return unknown(v1alpha1.ReasonServerUnobserved, "the server has not been asked yet")
	case !s.server.Reachable:
		return unreachable(s)
	case s.server.SaveError != "":
		return no(v1alpha1.ReasonSaveFailed, fmt.Sprintf("the server in pod %s cannot save its data to %s: %s", s.pod.Name, s.storage(), s.server.SaveError))
	}
	return yes(v1alpha1.ReasonServerAnswers, fmt.Sprintf("pod %s is ready and its server answers", s.pod.Name))
}

// storage is where the data is saved, and what to do when that is full.
func (s *seen) storage() string {
	if s.node.Spec.Persistence == nil {
		return "the pod's own disk space"
	}
	return fmt.Sprintf("claim %s, whose volume is full or broken (a larger persistence.size lets it grow)", vknode.ClaimName(s.node))
}

func unreachable(s *seen) verdict {
	var missing *credentialsMissing
	if errors.As(s.server.Err, &missing) {
		return no(v1alpha1.ReasonCredentialsMissing, missing.Error())
	}
	return no(v1alpha1.ReasonServerUnreachable, fmt.Sprintf("the server in pod %s does not answer: %s", s.pod.Name, s.server.Why()))
}
