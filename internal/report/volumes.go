package report

import (
	"cmp"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// volumes sums the conditions of the nodes' volumes up: each is as bad as that of
// the worst node, which it names. There are none without persistence.
func volumes(nodes []v1alpha1.ValkeyNode) []metav1.Condition {
	var sums []metav1.Condition
	for _, kind := range []string{v1alpha1.ConditionClaimReady, v1alpha1.ConditionClaimSizeReady} {
		if sum := sumUp(nodes, kind); sum != nil {
			sums = append(sums, *sum)
		}
	}
	return sums
}

func sumUp(nodes []v1alpha1.ValkeyNode, kind string) *metav1.Condition {
	var worst *metav1.Condition
	var whose string
	total, bad := 0, 0
	for i := range nodes {
		n := &nodes[i]
		if n.Spec.Persistence == nil {
			continue
		}
		total++
		c := meta.FindStatusCondition(n.Status.Conditions, kind)
		if c == nil {
			c = &metav1.Condition{Status: metav1.ConditionUnknown, Reason: v1alpha1.ReasonClaimPending, Message: "nothing is known of its volume yet"}
		}
		if c.Status != metav1.ConditionTrue {
			bad++
		}
		if worst == nil || badness[c.Status] > badness[worst.Status] {
			worst, whose = c, n.Name
		}
	}
	if worst == nil {
		return nil
	}
	sum := &metav1.Condition{Type: kind, Status: worst.Status, Reason: worst.Reason}
	switch bad {
	case 0:
		sum.Message = fmt.Sprintf("%d of %d nodes: %s", total, total, cmp.Or(good[kind], worst.Message))
	case 1:
		sum.Message = fmt.Sprintf("node %s: %s", whose, worst.Message)
	default:
		sum.Message = fmt.Sprintf("node %s and %d more: %s", whose, bad-1, worst.Message)
	}
	return sum
}

var badness = map[metav1.ConditionStatus]int{metav1.ConditionTrue: 0, metav1.ConditionUnknown: 1, metav1.ConditionFalse: 2}

// good is what all nodes have in common when all is well.
var good = map[string]string{
	v1alpha1.ConditionClaimReady:     "the claim is bound, or waits for the pod only",
	v1alpha1.ConditionClaimSizeReady: "the volume is as large as wanted",
}

// hopeless are the reasons of a volume's size that only a human does something
// about.
var hopeless = map[string]bool{v1alpha1.ReasonResizeRefused: true, v1alpha1.ReasonResizeInfeasible: true}

// growing says whose volume is not as large as wanted. That holds nothing up.
func growing(nodes []v1alpha1.ValkeyNode) []Failure {
	var found []Failure
	for i := range nodes {
		c := meta.FindStatusCondition(nodes[i].Status.Conditions, v1alpha1.ConditionClaimSizeReady)
		if nodes[i].Spec.Persistence == nil || c == nil || c.Status != metav1.ConditionFalse {
			continue
		}
		found = append(found, Failure{
			Reason:  c.Reason,
			Message: fmt.Sprintf("node %s: %s", nodes[i].Name, c.Message),
			Human:   hopeless[c.Reason],
		})
	}
	return found
}
