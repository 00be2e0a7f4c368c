package act

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Intent is one object as one field owner wants it.
type Intent struct {
	// Object is everything that the field owner wants of the object.
	Object runtime.ApplyConfiguration
	// Ours tells an object that may be written to from somebody else's of the
	// same name. It is asked about objects that exist.
	Ours func(metav1.Object) bool
	// For names the resource that the object is made for. What is remembered
	// of the object goes with it; see [Applier.Forget].
	For types.NamespacedName
}

// ControlledBy returns an Ours for objects that the owner with this UID
// controls.
func ControlledBy(owner types.UID) func(metav1.Object) bool {
	return func(o metav1.Object) bool {
		c := metav1.GetControllerOf(o)
		return c != nil && c.UID == owner
	}
}

// NameConflict is an object in the way that is not ours. It was not touched.
type NameConflict struct {
	Kind string
	Name string
}

func (e *NameConflict) Error() string {
	return fmt.Sprintf("%s %s exists and was not made by this operator for this purpose; it is not touched", e.Kind, e.Name)
}

// Applier applies intents, by server-side apply, as one field owner. An intent
// whose object is as it was left costs no request.
//
// That is known by remembering the last intent for each object and the resource
// version that came of it; when the cache shows a later version, somebody else
// wrote, and the intent is applied again. A restart forgets, and costs one
// request an object. It may be used by several goroutines.
type Applier struct {
	client client.Client
	live   client.Reader
	owner  client.FieldOwner

	mu   sync.Mutex
	left map[types.NamespacedName]map[objectID]left
}

// NewApplier returns an Applier that reads from the cache behind c and, for
// what the cache does not hold, from the API server through live.
func NewApplier(c client.Client, live client.Reader, owner client.FieldOwner) *Applier {
	return &Applier{client: c, live: live, owner: owner, left: map[types.NamespacedName]map[objectID]left{}}
}

// Apply brings the object to what the intent says. The error is a
// [*NameConflict] if an object of that name is not ours, and otherwise what the
// API server answered.
func (a *Applier) Apply(ctx context.Context, intent Intent) error {
	object, err := encode(intent.Object)
	if err != nil {
		return err
	}
	existing, err := a.existing(ctx, object)
	if err != nil {
		return fmt.Errorf("looking for %s: %w", object.id, err)
	}
	if existing == nil {
		_, err := a.create(ctx, intent, object)
		return err
	}
	if !intent.Ours(existing) {
		return &NameConflict{Kind: object.id.Kind, Name: object.id.Name}
	}
	if a.settled(intent.For, object, existing) {
		return nil
	}
	return a.change(ctx, intent, object, existing.GetUID())
}

// Create is Apply for an object that is not there yet, by all accounts. It
// returns the object's UID.
func (a *Applier) Create(ctx context.Context, intent Intent) (types.UID, error) {
	object, err := encode(intent.Object)
	if err != nil {
		return "", err
	}
	existing, err := a.existing(ctx, object)
	switch {
	case err != nil:
		return "", fmt.Errorf("looking for %s: %w", object.id, err)
	case existing == nil:
		return a.create(ctx, intent, object)
	case !intent.Ours(existing):
		return "", &NameConflict{Kind: object.id.Kind, Name: object.id.Name}
	}
	return existing.GetUID(), a.change(ctx, intent, object, existing.GetUID())
}

// Change is Apply for an object that is known to be there and ours. It does not
// look for it: the API server refuses another one of its name.
func (a *Applier) Change(ctx context.Context, intent Intent, uid types.UID) error {
	object, err := encode(intent.Object)
	if err != nil {
		return err
	}
	return a.change(ctx, intent, object, uid)
}

// create does not force: an object that somebody else makes at the same moment
// is not ours to change.
func (a *Applier) create(ctx context.Context, intent Intent, object encoded) (types.UID, error) {
	return a.write(ctx, intent, object, "")
}

// change names the object that was found ours by its UID, so that no other is
// written to; only therefore may fields be taken from other owners.
func (a *Applier) change(ctx context.Context, intent Intent, object encoded, uid types.UID) error {
	_, err := a.write(ctx, intent, object, uid, client.ForceOwnership)
	return err
}

func (a *Applier) write(ctx context.Context, intent Intent, object encoded, uid types.UID, opts ...client.ApplyOption) (types.UID, error) {
	content, err := object.content()
	if err != nil {
		return "", err
	}
	if uid != "" {
		content.SetUID(uid)
	}
	err = a.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(content), append(opts, a.owner)...)
	if changedHands(err) {
		err = apierrors.NewConflict(schema.GroupResource{Group: object.id.Group, Resource: object.id.Kind}, object.id.Name, err)
	}
	if err != nil {
		return "", fmt.Errorf("applying %s: %w", object.id, err)
	}
	a.remember(intent.For, object, content)
	return content.GetUID(), nil
}

// changedHands reports whether the API server has another object of that name
// by now. It calls that a change of the UID.
func changedHands(err error) bool {
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || !apierrors.IsInvalid(err) || status.ErrStatus.Details == nil {
		return false
	}
	return slices.ContainsFunc(status.ErrStatus.Details.Causes, func(c metav1.StatusCause) bool { return c.Field == "metadata.uid" })
}

// existing returns the object as the cache has it, or else as the API server
// does, or nil. Caches hold only objects with our labels, so one that is
// missing there may still be in the way.
func (a *Applier) existing(ctx context.Context, object encoded) (metav1.Object, error) {
	typed, err := a.client.Scheme().New(object.id.GroupVersionKind)
	if err != nil {
		return nil, err
	}
	cached := typed.(client.Object)
	err = a.client.Get(ctx, object.id.NamespacedName, cached)
	if err == nil {
		return cached, nil
	}
	if !apierrors.IsNotFound(err) {
		return nil, err
	}
	found := &metav1.PartialObjectMetadata{}
	found.SetGroupVersionKind(object.id.GroupVersionKind)
	err = a.live.Get(ctx, object.id.NamespacedName, found)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return found, err
}
