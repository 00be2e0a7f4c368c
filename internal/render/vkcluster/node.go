package vkcluster

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	apiac "github.com/valkey-operator/valkey-operator/api/v1alpha1/applyconfiguration/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/spec"
)

// A ValkeyNode is written by two field owners. The standing part restarts
// nothing and is applied on every pass. The staged part holds what restarts
// the pod and is applied one node at a time, when it may be restarted. The API
// server wants a template of every ValkeyNode, so the staged owner makes it,
// with both parts, and the standing owner shares them from its next pass on.

// finalizers of a ValkeyNode from its creation on.
var finalizers = []string{v1alpha1.FinalizerProtection, v1alpha1.FinalizerVolumeCleanup}

// NewNode returns the whole ValkeyNode, to be applied as the staged owner when
// there is none.
func NewNode(c spec.Cluster, n spec.Node) *apiac.ValkeyNodeApplyConfiguration {
	node := Node(c, n, nil)
	node.Spec.
		WithPodTemplate(podTemplate(c, n)).
		WithPersistence(persistence(c))
	return node
}

// NodeTemplate returns the staged part: the pod template, and persistence,
// which a node that had none gets together with a restart. The pod is replaced
// only while it is the one that guard names (see [RollIf]); an empty guard
// lets any pod be replaced.
func NodeTemplate(c spec.Cluster, n spec.Node, guard string) *apiac.ValkeyNodeApplyConfiguration {
	template := podTemplate(c, n)
	if guard != "" {
		template.Annotations[v1alpha1.AnnotationRollIf] = guard
	}
	return apiac.ValkeyNode(n.Name, c.Namespace).
		WithSpec(apiac.ValkeyNodeSpec().
			WithPodTemplate(template).
			WithPersistence(persistence(c)))
}

// RollIf returns the guard for a pod and the role that it was decided for.
func RollIf(pod types.UID, role v1alpha1.NodeRole) string {
	return string(pod) + "/" + string(role)
}

// Node returns the standing part of a ValkeyNode that exists as live, or does
// not if live is nil. Two things are for live to say: a node without a volume
// gets one by its staged part only, and one that is being deleted keeps the
// finalizers that it still has, since the API server takes no new ones.
func Node(c spec.Cluster, n spec.Node, live *v1alpha1.ValkeyNode) *apiac.ValkeyNodeApplyConfiguration {
	node := apiac.ValkeyNode(n.Name, c.Namespace).
		WithLabels(c.NodeLabels(n)).
		WithOwnerReferences(owner(c)).
		WithSpec(standingSpec(c))
	if live == nil || live.Spec.Persistence != nil {
		node.Spec.WithPersistence(standingPersistence(c))
	}
	if live == nil || live.DeletionTimestamp.IsZero() {
		return node.WithFinalizers(finalizers...)
	}
	return node.WithFinalizers(live.Finalizers...)
}

func standingSpec(c spec.Cluster) *apiac.ValkeyNodeSpecApplyConfiguration {
	return apiac.ValkeyNodeSpec().
		WithWorkloadType(c.WorkloadType).
		WithConfig(config(c)).
		WithAccess(apiac.NodeAccess().
			WithPort(v1alpha1.PortClient).
			WithUsername(userOperator).
			WithPasswordSecretRef(apiac.SecretKeyReference().
				WithName(c.SystemPasswordsSecret()).
				WithKey(userOperator))).
		WithACLSecretName(c.ACLSecret()).
		WithServiceName(c.HeadlessService())
}

// standingPersistence is what may change of a volume that is there, or nil.
func standingPersistence(c spec.Cluster) *apiac.NodePersistenceApplyConfiguration {
	if c.Persistence == nil {
		return nil
	}
	return apiac.NodePersistence().
		WithSize(c.Persistence.Size).
		WithReclaimPolicy(c.Persistence.ReclaimPolicy)
}

// persistence is all that a volume needs to be made, or nil.
func persistence(c spec.Cluster) *apiac.NodePersistenceApplyConfiguration {
	p := standingPersistence(c)
	if p != nil && c.Persistence.StorageClassName != nil {
		p.WithStorageClassName(*c.Persistence.StorageClassName)
	}
	return p
}
