package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// Inputs are the parts of what a user wrote whose change needs a restart of
// the pods. They are kept as written, without defaults, so that an operator
// with other defaults restarts nothing.
//
// A field may be added at any time, provided that its empty value is omitted
// and means what operators before it did.
type Inputs struct {
	Image       string                       `json:"image,omitempty"`
	Resources   *corev1.ResourceRequirements `json:"resources,omitempty"`
	Persistent  bool                         `json:"persistent,omitempty"`
	RestartedAt string                       `json:"restartedAt,omitempty"`
}

func inputs(r *v1alpha1.ValkeyCluster) Inputs {
	in := Inputs{
		Image:       r.Spec.Image,
		Persistent:  r.Spec.Persistence != nil,
		RestartedAt: r.Annotations[v1alpha1.AnnotationRestartedAt],
	}
	if res := r.Spec.Resources; len(res.Limits)+len(res.Requests)+len(res.Claims) > 0 {
		in.Resources = res.DeepCopy()
	}
	return in
}

// InputsHash returns 16 hexadecimal digits that are equal for two clusters
// exactly when nothing that the user wrote asks for a restart. It is the same
// for every node of the cluster.
func (c Cluster) InputsHash() string {
	// Encoding writes map keys in order and quantities in canonical form, and
	// cannot fail for these types.
	encoded, err := json.Marshal(c.Inputs)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:8])
}
