package valkeynode

import (
	"slices"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// parent is what there is of the resource that made a node.
type parent string

const (
	// noParent: nobody controls the node.
	noParent parent = "none"
	// parentStays: it exists and is not being deleted.
	parentStays parent = "stays"
	// parentGoes: it is being deleted, or the UID that made the node is gone.
	// A resource that was made since under the same name is another one.
	parentGoes parent = "goes"
	// parentUnknown: it could not be asked for.
	parentUnknown parent = "unknown"
)

// leave is what a node that is being deleted waits for.
type leave string

const (
	// stay: the node is managed in full.
	stay leave = ""
	// decommission: workload, pod and claim go, then the node.
	decommission leave = "decommission"
	// letGo: the namespace goes, and everything in it by itself.
	letGo leave = "let go"
)

// leaving decides whether the node may go.
func leaving(n *v1alpha1.ValkeyNode, p parent, namespaceGoes bool) leave {
	switch {
	case n.DeletionTimestamp == nil:
		return stay
	case namespaceGoes:
		return letGo
	case !slices.Contains(n.Finalizers, v1alpha1.FinalizerProtection):
		return decommission
	case p == noParent, p == parentGoes:
		return decommission
	}
	return stay
}
