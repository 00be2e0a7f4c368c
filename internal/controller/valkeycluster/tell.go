package valkeycluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/act"
	"github.com/valkey-operator/valkey-operator/internal/report"
	"github.com/valkey-operator/valkey-operator/internal/topology"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// stepTime is how long each step of forming a cluster is shown at least. There
// are dozens within a second or two, and each is a write; what comes of them is
// written at once.
const stepTime = time.Second

// tell writes the status, if it changed, and then the events that go with it.
func (r *Reconciler) tell(ctx context.Context, cluster *v1alpha1.ValkeyCluster, pass report.Pass) error {
	before := r.memory.status(cluster)
	told := report.Of(pass, before, r.Now())
	if !equality.Semantic.DeepEqual(before, told.Status) && !r.isPassing(cluster, pass, before, told.Status) {
		patch := client.MergeFrom(cluster.DeepCopy())
		cluster.Status = told.Status
		if err := r.Client.Status().Patch(ctx, cluster, patch); err != nil {
			return client.IgnoreNotFound(err)
		}
		r.memory.wrote(cluster, r.Now())
	}
	for _, e := range r.memory.news(client.ObjectKeyFromObject(cluster), told.Events) {
		kind := corev1.EventTypeNormal
		if e.Warning {
			kind = corev1.EventTypeWarning
		}
		r.Events.Eventf(cluster, nil, kind, e.Reason, "Reconcile", "%s", e.Message)
	}
	return nil
}

// isPassing reports whether the status is one more step of forming a cluster,
// for which another pass is due soon.
func (r *Reconciler) isPassing(cluster *v1alpha1.ValkeyCluster, pass report.Pass, before, after v1alpha1.ValkeyClusterStatus) bool {
	return before.State == v1alpha1.StateInitializing && after.State == v1alpha1.StateInitializing &&
		before.ObservedGeneration == after.ObservedGeneration && !pass.Plan.Done() &&
		r.memory.writtenSince(client.ObjectKeyFromObject(cluster), r.Now().Add(-stepTime))
}

func logResults(log logr.Logger, results []act.Result) {
	for _, result := range results {
		why := result.Action.Explain()
		switch {
		case result.Err != nil:
			log.V(1).Info("Action failed", "reason", why.Reason, "action", why.Message, "error", result.Err.Error())
		case isSmall(result.Action):
			log.V(1).Info("Acted", "reason", why.Reason, "action", why.Message)
		default:
			log.Info("Acted", "reason", why.Reason, "action", why.Message)
		}
	}
}

// isSmall tells actions that come in many steps of no interest.
func isSmall(a topology.Action) bool {
	switch a.(type) {
	case topology.Meet, topology.SetEpoch:
		return true
	}
	return false
}

// failed returns what users should know of actions that failed. What time
// alone mends is left out: the next pass tries again or plans anew.
func failed(results []act.Result) []report.Failure {
	var failures []report.Failure
	for _, result := range results {
		if result.Err == nil || mendsItself(result.Err) {
			continue
		}
		failures = append(failures, failure(result.Action.Explain().Message, result.Err))
	}
	return failures
}

func mendsItself(err error) bool {
	for _, transient := range []error{
		act.ErrSkipped, act.ErrOtherServer, valkey.ErrUnknownNode, valkey.ErrNotPrimary, valkey.ErrTimeout,
		valkey.ErrClosed, valkey.ErrRefused, valkey.ErrLoading, valkey.ErrBusySlot,
		context.DeadlineExceeded, context.Canceled,
	} {
		if errors.Is(err, transient) {
			return true
		}
	}
	return false
}

// failure puts an error into words: an object in the way is for a human.
func failure(doing string, err error) report.Failure {
	if conflict, ok := errors.AsType[*act.NameConflict](err); ok {
		return report.Failure{
			Reason:  v1alpha1.ReasonNameConflict,
			Message: conflict.Error() + "; delete or rename it, or give the cluster another name",
			Human:   true,
		}
	}
	return report.Failure{Reason: v1alpha1.ReasonActionFailed, Message: fmt.Sprintf("%s: %v", doing, err)}
}
