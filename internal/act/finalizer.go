package act

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// AddFinalizer has the object carry the finalizer. It fails with a conflict if
// the object is no longer as it was read.
func AddFinalizer(ctx context.Context, c client.Writer, o client.Object, name string) error {
	if slices.Contains(o.GetFinalizers(), name) {
		return nil
	}
	return setFinalizers(ctx, c, o, append(slices.Clone(o.GetFinalizers()), name))
}

// LiftFinalizers removes the finalizers from the object. It fails with a
// conflict if the object is no longer as it was read; an object that is gone is
// no error.
func LiftFinalizers(ctx context.Context, c client.Writer, o client.Object, names ...string) error {
	rest := slices.DeleteFunc(slices.Clone(o.GetFinalizers()), func(f string) bool { return slices.Contains(names, f) })
	if len(rest) == len(o.GetFinalizers()) {
		return nil
	}
	return client.IgnoreNotFound(setFinalizers(ctx, c, o, rest))
}

// setFinalizers patches nothing but the finalizers, with the resource version
// as precondition: the list is one value to the API server, and another one
// may have been added to it.
func setFinalizers(ctx context.Context, c client.Writer, o client.Object, finalizers []string) error {
	before := o.DeepCopyObject().(client.Object)
	o.SetFinalizers(finalizers)
	err := c.Patch(ctx, o, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("setting finalizers of %s/%s: %w", o.GetNamespace(), o.GetName(), err)
	}
	return err
}
