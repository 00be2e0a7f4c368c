package act

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Delete deletes the object with the UID of o, and never another of its name.
// An object that is gone already is no error.
func Delete(ctx context.Context, c client.Writer, o client.Object, propagation metav1.DeletionPropagation) error {
	uid := o.GetUID()
	err := c.Delete(ctx, o, client.Preconditions{UID: &uid}, client.PropagationPolicy(propagation))
	if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return fmt.Errorf("deleting %s/%s: %w", o.GetNamespace(), o.GetName(), err)
}
