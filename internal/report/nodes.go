package report

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// telling are the reasons of ValkeyNode conditions that explain more than that
// a server does not answer, and whether only a human can help.
var telling = map[string]bool{
	v1alpha1.ReasonNameConflict:     true,
	v1alpha1.ReasonClaimConflict:    true,
	v1alpha1.ReasonStorageClass:     true,
	v1alpha1.ReasonNoStorageClass:   true,
	v1alpha1.ReasonRefused:          true,
	v1alpha1.ReasonInvalidTemplate:  true,
	v1alpha1.ReasonClaimLost:        true,
	v1alpha1.ReasonDataDamaged:      true,
	v1alpha1.ReasonSaveFailed:       true,
	v1alpha1.ReasonClaimTerminating: false,
	v1alpha1.ReasonImagePull:        false,
	v1alpha1.ReasonUnschedulable:    false,
	v1alpha1.ReasonCrashLoop:        false,
}

// nodeCauses lifts what ValkeyNodes say of themselves to their cluster.
func nodeCauses(nodes []v1alpha1.ValkeyNode) []Failure {
	var found []Failure
	for i := range nodes {
		if c := tellingCondition(nodes[i].Status.Conditions); c != nil {
			found = append(found, Failure{
				Reason:  c.Reason,
				Message: fmt.Sprintf("node %s: %s", nodes[i].Name, c.Message),
				Human:   telling[c.Reason],
			})
		}
	}
	return found
}

func tellingCondition(conditions []metav1.Condition) *metav1.Condition {
	for _, kind := range []string{v1alpha1.ConditionClaimReady, v1alpha1.ConditionResourcesReady, v1alpha1.ConditionReady} {
		c := meta.FindStatusCondition(conditions, kind)
		if c == nil || c.Status == metav1.ConditionTrue {
			continue
		}
		if _, known := telling[c.Reason]; known {
			return c
		}
	}
	return nil
}

// staleNodes are the ValkeyNodes whose own controller has not caught up, or is
// not content.
func staleNodes(nodes []v1alpha1.ValkeyNode) []Failure {
	var found []Failure
	for i := range nodes {
		n := &nodes[i]
		ready := meta.FindStatusCondition(n.Status.Conditions, v1alpha1.ConditionReady)
		if ready != nil && ready.Status == metav1.ConditionTrue && n.Status.ObservedGeneration == n.Generation {
			continue
		}
		found = append(found, Failure{
			Reason:  v1alpha1.ReasonPodNotReady,
			Message: fmt.Sprintf("node %s is not ready yet", n.Name),
		})
	}
	return found
}
