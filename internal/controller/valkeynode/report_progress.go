package valkeynode

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// progress is the condition Progressing. ready is the condition of the node.
func progress(s *seen, d done, ready verdict) verdict {
	switch {
	case s.node.DeletionTimestamp != nil && s.parent == parentUnknown:
		return yes(v1alpha1.ReasonDeleting, "the node is being deleted; the resource that made it could not be asked for")
	case s.node.DeletionTimestamp != nil:
		return yes(v1alpha1.ReasonDeleting, fmt.Sprintf("the node is being deleted and waits for its parent to lift %s", v1alpha1.FinalizerProtection))
	case d.stale != nil:
		return yes(v1alpha1.ReasonRollStale, "the pod is outdated and left alone: "+d.stale.Error())
	case d.replacing:
		return yes(v1alpha1.ReasonReplacing, "an outdated pod or workload is being replaced")
	}
	if r := resources(s, d); r.status != metav1.ConditionTrue {
		return yes(r.reason, r.message)
	}
	if ready.status != metav1.ConditionTrue {
		return yes(ready.reason, ready.message)
	}
	return no(v1alpha1.ReasonUpToDate, "everything is as the spec says")
}

// resources is the condition ResourcesReady: the ConfigMap and the workload are
// as wanted.
func resources(s *seen, d done) verdict {
	switch {
	case d.template != nil:
		return no(v1alpha1.ReasonInvalidTemplate, d.template.Error())
	case d.objects != nil:
		return no(reasonOf(d.objects), d.objects.Error())
	case s.workload == nil && d.claim != nil:
		return no(claim(s, d).reason, "the pod waits for its claim: "+d.claim.Error())
	}
	return yes(v1alpha1.ReasonApplied, "ConfigMap and workload are as the spec says")
}
