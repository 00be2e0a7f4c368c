package act

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// objectID is an object of any kind.
type objectID struct {
	schema.GroupVersionKind
	types.NamespacedName
}

func (id objectID) String() string { return id.Kind + " " + id.NamespacedName.String() }

// encoded is an intent's object on its way to the API server.
type encoded struct {
	id   objectID
	hash [sha256.Size]byte
	text []byte
}

// named is what every apply configuration of an object can say of itself.
type named interface {
	GetAPIVersion() *string
	GetKind() *string
	GetName() *string
	GetNamespace() *string
}

// encode does no more than is needed to see that nothing is to be done: nearly
// always that is so.
func encode(object runtime.ApplyConfiguration) (encoded, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return encoded{}, err
	}
	n, ok := object.(named)
	if !ok || n.GetKind() == nil || n.GetAPIVersion() == nil || n.GetName() == nil {
		return encoded{}, fmt.Errorf("apply configuration %T without kind or name", object)
	}
	id := objectID{
		GroupVersionKind: schema.FromAPIVersionAndKind(*n.GetAPIVersion(), *n.GetKind()),
		NamespacedName:   types.NamespacedName{Name: *n.GetName()},
	}
	if n.GetNamespace() != nil {
		id.Namespace = *n.GetNamespace()
	}
	return encoded{id: id, hash: sha256.Sum256(text), text: text}, nil
}

// content is the object as the client sends it.
func (e encoded) content() (*unstructured.Unstructured, error) {
	content := &unstructured.Unstructured{}
	if err := json.Unmarshal(e.text, &content.Object); err != nil {
		return nil, err
	}
	dropUnset(content.Object)
	return content, nil
}

// dropUnset removes what Go's encoding of the core types writes although it is
// not set. In a custom resource that had a value there before, the API server
// makes null of it and then refuses its own work.
func dropUnset(value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			if m, is := inner.(map[string]any); inner == nil || is && len(m) == 0 && neverOmitted[name] {
				delete(value, name)
				continue
			}
			dropUnset(inner)
		}
	case []any:
		for _, inner := range value {
			dropUnset(inner)
		}
	}
}

// neverOmitted are the fields of pods and claims that are structures, not
// pointers, and whose emptiness says nothing; that of an emptyDir does.
var neverOmitted = map[string]bool{"resources": true, "metadata": true, "strategy": true, "status": true}

// left is how an object was left by the last write, or was found since with
// nothing changed but its status.
type left struct {
	intent  [sha256.Size]byte
	uid     types.UID
	version string
	shape   [sha256.Size]byte
	shaped  bool
}

// settled reports whether the object is still as the same intent left it.
func (a *Applier) settled(resource types.NamespacedName, object encoded, existing metav1.Object) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	l, known := a.left[resource][object.id]
	if !known || l.intent != object.hash || l.uid != existing.GetUID() {
		return false
	}
	if !isLater(existing.GetResourceVersion(), l.version) {
		return true
	}
	shape, shaped := shapeOf(existing)
	if !shaped || !l.shaped || shape != l.shape {
		return false
	}
	l.version = existing.GetResourceVersion()
	a.left[resource][object.id] = l
	return true
}

func (a *Applier) remember(resource types.NamespacedName, object encoded, answer metav1.Object) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.left[resource] == nil {
		a.left[resource] = map[objectID]left{}
	}
	shape, shaped := shapeOf(answer)
	a.left[resource][object.id] = left{
		intent: object.hash, uid: answer.GetUID(), version: answer.GetResourceVersion(), shape: shape, shaped: shaped,
	}
}

// Forget drops what is remembered of the objects that were made for a resource
// which is no more.
func (a *Applier) Forget(resource types.NamespacedName) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.left, resource)
}

// isLater reports whether version a came after b. Versions that cannot be
// compared count as later: one request too many does no harm.
func isLater(a, b string) bool {
	order, err := resourceversion.CompareResourceVersion(a, b)
	return err != nil || order > 0
}

// shapeOf stands for everything but the status of an object. Kinds without a
// generation have no shape that is cheap to know.
func shapeOf(o metav1.Object) (shape [sha256.Size]byte, ok bool) {
	if o.GetGeneration() == 0 {
		return shape, false
	}
	text, err := json.Marshal(struct {
		Generation          int64
		Labels, Annotations map[string]string
		Owners              []metav1.OwnerReference
		Finalizers          []string
	}{o.GetGeneration(), o.GetLabels(), o.GetAnnotations(), o.GetOwnerReferences(), o.GetFinalizers()})
	return sha256.Sum256(text), err == nil
}
