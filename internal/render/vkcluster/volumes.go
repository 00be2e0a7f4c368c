package vkcluster

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/valkey-operator/valkey-operator/internal/spec"
)

const (
	scriptsVolume = "scripts"
	secretsVolume = "secrets"

	// secretsDir holds, for each user that is needed in the pod, a file of the
	// user's name with the password, and the fragment for replication.
	secretsDir = "/etc/valkey-secrets"
)

func volumes(c spec.Cluster) []corev1.Volume {
	return []corev1.Volume{
		{Name: scriptsVolume, VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: c.ScriptsConfigMap()},
			DefaultMode:          ptr.To(int32(0o555)),
			Items:                scriptFiles(),
		}}},
		{Name: secretsVolume, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
			DefaultMode: ptr.To(int32(0o440)),
			Sources: []corev1.VolumeProjection{
				secretFiles(c.SystemPasswordsSecret(), file(userPod), file(replicationFile)),
				secretFiles(c.AuthSecret(), corev1.KeyToPath{Key: authPassword, Path: userDefault}),
			},
		}}},
	}
}

func secretFiles(name string, items ...corev1.KeyToPath) corev1.VolumeProjection {
	return corev1.VolumeProjection{Secret: &corev1.SecretProjection{
		LocalObjectReference: corev1.LocalObjectReference{Name: name},
		Items:                items,
	}}
}

// file mounts the value of a key as the file of the same name.
func file(key string) corev1.KeyToPath { return corev1.KeyToPath{Key: key, Path: key} }
