package valkeynode

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/internal/act"
	"github.com/valkey-operator/valkey-operator/internal/render/vknode"
)

// done is what came of a pass's writes. Errors in it are for the status; those
// worth trying again are returned by the pass too.
type done struct {
	settings settings
	claim    error // why the claim is not as wanted
	template error // why podTemplate cannot be rendered
	objects  error // why the ConfigMap or the workload is not as wanted
	// stale says why the outdated pod is left alone.
	stale error
	// replacing is true while an outdated pod or workload is on its way out.
	replacing bool
}

// act brings everything of the node to what its spec says: the claim first,
// then the file, then the workload, and last the pod.
func (r *Reconciler) act(ctx context.Context, s *seen) done {
	var d done
	d.claim = r.applyClaim(ctx, s)
	d.settings = r.settle(ctx, s)
	template, err := chooseTemplate(s, func() error { return r.mayRestart(ctx, s) })
	if err != nil {
		d.template = err
		return d
	}
	d.stale = template.stale
	d.objects = r.applyObjects(ctx, s, d, template.record)
	if d.objects != nil {
		return d
	}
	if s.workload != nil && (s.workload.mismatch != "" || s.workload.going()) {
		d.replacing = true
		return d
	}
	d.replacing, err = r.replaceOutdated(ctx, s)
	var stale *staleError
	if errors.As(err, &stale) {
		d.stale = stale
	} else {
		d.objects = err
	}
	return d
}

func (r *Reconciler) applyObjects(ctx context.Context, s *seen, d done, record vknode.Record) error {
	file := vknode.ConfigMap(s.node, d.settings.file, d.settings.unread, record)
	if err := r.apply(ctx, s, file, mine(s.node)); err != nil {
		return err
	}
	switch {
	case s.workload == nil:
		if d.claim != nil {
			return nil //nolint:nilerr // it is reported; no pod on a claim that is not the node's
		}
		if err := r.claimIsUsable(ctx, s); err != nil {
			return err
		}
	case s.workload.going():
		return nil
	case s.workload.mismatch != "":
		// Its pod stays, and the workload that is made next takes it over.
		return act.Delete(ctx, r.Client, s.workload.object, metav1.DeletePropagationOrphan)
	}
	return r.applyWorkload(ctx, s, record)
}

func (r *Reconciler) applyWorkload(ctx context.Context, s *seen, record vknode.Record) error {
	var object runtime.ApplyConfiguration
	var err error
	if isDeployment(s.node) {
		object, err = vknode.Deployment(s.node, record)
	} else {
		object, err = vknode.StatefulSet(s.node, record)
	}
	if err != nil {
		return err
	}
	return r.apply(ctx, s, object, mine(s.node))
}

func (r *Reconciler) apply(ctx context.Context, s *seen, object runtime.ApplyConfiguration, ours func(metav1.Object) bool) error {
	return r.applier.Apply(ctx, act.Intent{Object: object, Ours: ours, For: client.ObjectKeyFromObject(s.node)})
}

// isFinal reports whether trying again helps only after something else changed.
func isFinal(err error) bool {
	var conflict *act.NameConflict
	return errors.As(err, &conflict) || isClaimProblem(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err)
}

// retry returns what of a pass has to be tried again.
func (d done) retry() error {
	var errs []error
	for _, err := range []error{d.claim, d.objects} {
		if err != nil && !isFinal(err) {
			errs = append(errs, err)
		}
	}
	if err := d.settings.why; err != nil {
		errs = append(errs, fmt.Errorf("asking the server about its directives: %w", err))
	}
	return errors.Join(errs...)
}
