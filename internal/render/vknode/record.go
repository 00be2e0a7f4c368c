package vknode

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// Annotations of the node's ConfigMap (both) and workload (the hash).
const (
	annotationTemplate     = "valkey.io/pod-template"
	annotationTemplateHash = "valkey.io/pod-template-hash"
)

// Record is a pod template as it was rendered, together with what it was
// rendered from.
//
// An operator of another version renders the same node differently, and that
// must restart nothing. So what was rendered once is kept and applied again
// until what it was rendered from changes. It is kept beside the workload, not
// in it: a workload is sometimes deleted and made again around its pod.
type Record struct {
	// Hash is the [TemplateHash] of the node that was rendered.
	Hash string
	// Template is the encoded apply configuration.
	Template string
}

// NewRecord renders the template of the node.
func NewRecord(n *v1alpha1.ValkeyNode) (Record, error) {
	template, err := PodTemplate(n)
	if err != nil {
		return Record{}, err
	}
	encoded, err := json.Marshal(template)
	return Record{Hash: TemplateHash(n), Template: string(encoded)}, err
}

// RecordIn returns the record that a ConfigMap carries. It is not found when
// there is none or it cannot be read.
func RecordIn(c *corev1.ConfigMap) (Record, bool) {
	r := Record{Hash: c.Annotations[annotationTemplateHash], Template: c.Annotations[annotationTemplate]}
	_, err := r.PodTemplate()
	return r, err == nil && r.Hash != ""
}

// RecordOfLive returns the record of a template that a workload has. It stands
// in where the record was lost.
func RecordOfLive(hash string, live *corev1.PodTemplateSpec) (Record, error) {
	encoded, err := json.Marshal(live)
	return Record{Hash: hash, Template: string(encoded)}, err
}

// PodTemplate returns the recorded template.
func (r Record) PodTemplate() (*coreac.PodTemplateSpecApplyConfiguration, error) {
	out := coreac.PodTemplateSpec()
	return out, json.Unmarshal([]byte(r.Template), out)
}

func (r Record) annotations() map[string]string {
	return map[string]string{annotationTemplate: r.Template, annotationTemplateHash: r.Hash}
}

// TemplateHash returns 16 hexadecimal digits that stand for everything in the
// node that may change its pod: podTemplate without the guard, and whether
// there is a claim. The size and policy of the claim restart nothing.
func TemplateHash(n *v1alpha1.ValkeyNode) string {
	template := n.Spec.PodTemplate.DeepCopy()
	delete(template.Annotations, v1alpha1.AnnotationRollIf)
	if len(template.Annotations) == 0 {
		template.Annotations = nil
	}
	encoded, err := json.Marshal(struct {
		PodTemplate *corev1.PodTemplateSpec `json:"podTemplate"`
		Persistent  bool                    `json:"persistent,omitempty"`
	}{template, n.Spec.Persistence != nil})
	if err != nil { // a PodTemplateSpec that was decoded can be encoded
		panic(err)
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:8])
}
