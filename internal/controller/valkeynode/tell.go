package valkeynode

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	nodeac "github.com/valkey-operator/valkey-operator/api/v1alpha1/applyconfiguration/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/act"
)

// tell writes the status, if it changed, and the events that the change
// justifies. The resource version makes sure that what it is compared with is
// what there is: a cache that is behind must not make times jump.
func (r *Reconciler) tell(ctx context.Context, s *seen, status v1alpha1.ValkeyNodeStatus) error {
	before := s.node.Status
	status = dated(status, before.Conditions, metav1.NewTime(r.Now()))
	if equality.Semantic.DeepEqual(before, status) {
		return nil
	}
	wanted, err := toApply(status)
	if err != nil {
		return err
	}
	object := nodeac.ValkeyNode(s.node.Name, s.node.Namespace).
		WithResourceVersion(s.node.ResourceVersion).
		WithStatus(wanted)
	if err := r.Client.Status().Apply(ctx, object, client.ForceOwnership, owner); err != nil {
		return client.IgnoreNotFound(err)
	}
	r.announce(s.node, before.Conditions, status.Conditions)
	return nil
}

func toApply(status v1alpha1.ValkeyNodeStatus) (*nodeac.ValkeyNodeStatusApplyConfiguration, error) {
	text, err := json.Marshal(status)
	if err != nil {
		return nil, err
	}
	out := nodeac.ValkeyNodeStatus()
	return out, json.Unmarshal(text, out)
}

// alarming are the reasons that a person should know of.
var alarming = map[string]bool{
	v1alpha1.ReasonNameConflict:       true,
	v1alpha1.ReasonRefused:            true,
	v1alpha1.ReasonInvalidTemplate:    true,
	v1alpha1.ReasonStorageClass:       true,
	v1alpha1.ReasonNoStorageClass:     true,
	v1alpha1.ReasonClaimConflict:      true,
	v1alpha1.ReasonClaimTerminating:   true,
	v1alpha1.ReasonClaimLost:          true,
	v1alpha1.ReasonResizeRefused:      true,
	v1alpha1.ReasonImagePull:          true,
	v1alpha1.ReasonUnschedulable:      true,
	v1alpha1.ReasonCrashLoop:          true,
	v1alpha1.ReasonDataDamaged:        true,
	v1alpha1.ReasonServerUnreachable:  true,
	v1alpha1.ReasonCredentialsMissing: true,
	v1alpha1.ReasonConfigRejected:     true,
}

// announce records an event for each alarming reason that a condition did not
// have before, and one when the node becomes ready.
func (r *Reconciler) announce(n *v1alpha1.ValkeyNode, before, after []metav1.Condition) {
	told := map[string]bool{}
	for _, c := range after {
		if c.Status == metav1.ConditionTrue || !alarming[c.Reason] || told[c.Reason] {
			continue
		}
		if old := find(before, c.Type); old == nil || old.Reason != c.Reason {
			told[c.Reason] = true
			r.event(n, corev1.EventTypeWarning, c.Reason, c.Message)
		}
	}
	ready, was := find(after, v1alpha1.ConditionReady), find(before, v1alpha1.ConditionReady)
	if ready.Status == metav1.ConditionTrue && (was == nil || was.Status != metav1.ConditionTrue) {
		r.event(n, corev1.EventTypeNormal, v1alpha1.ConditionReady, ready.Message)
	}
}

// longestNote is what the API server accepts as the text of an event.
const longestNote = 1000

func (r *Reconciler) event(n *v1alpha1.ValkeyNode, kind, reason, message string) {
	if len(message) > longestNote {
		message = strings.ToValidUTF8(message[:longestNote], "")
	}
	r.Events.Eventf(n, nil, kind, reason, "Reconcile", "%s", message)
}

// reasonOf names an error of writing an object.
func reasonOf(err error) string {
	var conflict *act.NameConflict
	if errors.As(err, &conflict) {
		return v1alpha1.ReasonNameConflict
	}
	var problem *claimProblem
	if errors.As(err, &problem) {
		return problem.reason
	}
	if apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsBadRequest(err) {
		return v1alpha1.ReasonRefused
	}
	return v1alpha1.ReasonActionFailed
}
