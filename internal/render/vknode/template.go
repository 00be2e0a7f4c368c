package vknode

import (
	"encoding/json"
	"fmt"
	"path"

	corev1 "k8s.io/api/core/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// PodTemplate returns the template of the node's pod: podTemplate as the parent
// wrote it, and what is the node controller's own: labels, the volumes for data
// and configuration, and the command when the server container has none, whose
// last words the kubelet is then to keep.
//
// The guard [v1alpha1.AnnotationRollIf] is an order to the node controller and
// not part of the pod.
func PodTemplate(n *v1alpha1.ValkeyNode) (*coreac.PodTemplateSpecApplyConfiguration, error) {
	wanted := n.Spec.PodTemplate.DeepCopy()
	delete(wanted.Annotations, v1alpha1.AnnotationRollIf)
	name, err := ServerContainer(wanted.Spec.Containers)
	if err != nil {
		return nil, err
	}
	for i := range wanted.Spec.Containers {
		if c := &wanted.Spec.Containers[i]; c.Name == name {
			if err := addToServer(c); err != nil {
				return nil, err
			}
		}
	}
	if err := addVolumes(n, &wanted.Spec); err != nil {
		return nil, err
	}
	template, err := toApply(wanted)
	if err != nil {
		return nil, err
	}
	return template.WithLabels(ownLabels(n)), nil
}

func addToServer(c *corev1.Container) error {
	for _, m := range c.VolumeMounts {
		if at := path.Clean(m.MountPath); at == DataDir || at == ConfigDir {
			return fmt.Errorf("podTemplate: container %s mounts volume %s at %s, where the operator mounts its own", c.Name, m.Name, path.Clean(m.MountPath))
		}
	}
	c.VolumeMounts = append(c.VolumeMounts,
		corev1.VolumeMount{Name: dataVolume, MountPath: DataDir},
		corev1.VolumeMount{Name: configVolume, MountPath: ConfigDir, ReadOnly: true})
	if len(c.Command) == 0 {
		c.Command = []string{"/bin/sh", ConfigDir + "/" + startFileKey}
		if c.TerminationMessagePolicy == "" { // it says why it ends, and the status quotes it
			c.TerminationMessagePolicy = corev1.TerminationMessageFallbackToLogsOnError
		}
	}
	return nil
}

func addVolumes(n *v1alpha1.ValkeyNode, pod *corev1.PodSpec) error {
	for _, v := range pod.Volumes {
		if v.Name == dataVolume || v.Name == configVolume {
			return fmt.Errorf("podTemplate: volume name %s belongs to the operator", v.Name)
		}
	}
	pod.Volumes = append(pod.Volumes, volumeForData(n), volumeForConfig(n))
	return nil
}

func volumeForData(n *v1alpha1.ValkeyNode) corev1.Volume {
	source := corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}
	if n.Spec.Persistence != nil {
		source = corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: ClaimName(n)},
		}
	}
	return corev1.Volume{Name: dataVolume, VolumeSource: source}
}

func volumeForConfig(n *v1alpha1.ValkeyNode) corev1.Volume {
	sources := []corev1.VolumeProjection{{
		ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: corev1.LocalObjectReference{Name: ConfigMapName(n)}},
	}}
	if n.Spec.ACLSecretName != "" {
		sources = append(sources, corev1.VolumeProjection{Secret: &corev1.SecretProjection{
			LocalObjectReference: corev1.LocalObjectReference{Name: n.Spec.ACLSecretName},
			Items:                []corev1.KeyToPath{{Key: v1alpha1.ACLFileKey, Path: v1alpha1.ACLFileKey}},
		}})
	}
	return corev1.Volume{Name: configVolume, VolumeSource: corev1.VolumeSource{
		Projected: &corev1.ProjectedVolumeSource{Sources: sources},
	}}
}

// toApply has the template say only what it sets: both types have the same
// encoding.
func toApply(t *corev1.PodTemplateSpec) (*coreac.PodTemplateSpecApplyConfiguration, error) {
	encoded, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	out := coreac.PodTemplateSpec()
	return out, json.Unmarshal(encoded, out)
}
