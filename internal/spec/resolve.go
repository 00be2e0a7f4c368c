package spec

import (
	"cmp"
	"time"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// DefaultImage is the image of clusters that name none, unless the operator
// was started with another.
const DefaultImage = "valkey/valkey:9.1"

// Defaults are the defaults that whoever runs the operator may choose.
type Defaults struct {
	// Image is used where a resource names none; empty means DefaultImage.
	Image string
}

const (
	// defaultNodeTimeout makes a failover that nobody helps take about 2.5 s
	// on 9.1, against 7.5 s with the server's own 15 s / 3.
	defaultNodeTimeout = 2 * time.Second

	// failoverTimeout is the server's own, and the only one on 8.0, which has
	// no directive for it.
	failoverTimeout = 5 * time.Second

	// shutdownTimeout is the server's own default for the time that a stopping
	// primary waits for its replicas to catch up.
	shutdownTimeout = 10 * time.Second

	// saveAllowance is the time left in the grace period to write the data set
	// to the volume on shutdown.
	saveAllowance = 45 * time.Second
)

// Resolve returns what the resource means. It relies on the validation of the
// API server and on nothing else: a field that the API server would have
// defaulted is defaulted here too.
func Resolve(r *v1alpha1.ValkeyCluster, d Defaults) Cluster {
	return Cluster{
		Namespace: r.Namespace,
		Name:      r.Name,
		UID:       r.UID,

		Shards:   int(r.Spec.Shards),
		Replicas: int(r.Spec.Replicas),

		Image:        cmp.Or(r.Spec.Image, d.Image, DefaultImage),
		WorkloadType: cmp.Or(r.Spec.WorkloadType, v1alpha1.WorkloadStatefulSet),
		Resources:    *r.Spec.Resources.DeepCopy(),
		Persistence:  persistence(r.Spec.Persistence),
		Config:       defaultConfig(),

		NodeTimeout:     defaultNodeTimeout,
		FailoverTimeout: failoverTimeout,
		GracePeriod:     failoverTimeout + shutdownTimeout + saveAllowance,

		RestartedAt: r.Annotations[v1alpha1.AnnotationRestartedAt],

		TakeoverUnfenced: r.Annotations[v1alpha1.AnnotationTakeoverUnfenced] == "true",
		AcceptDataLoss:   r.Annotations[v1alpha1.AnnotationAcceptDataLoss],

		Inputs: inputs(r),
	}
}

func persistence(p *v1alpha1.PersistenceSpec) *v1alpha1.PersistenceSpec {
	if p == nil {
		return nil
	}
	resolved := p.DeepCopy()
	resolved.ReclaimPolicy = cmp.Or(p.ReclaimPolicy, v1alpha1.ReclaimRetain)
	return resolved
}
