package vkcluster

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// serverID is the user and group that the published images made for Valkey. It
// is a number so that an image needs no such entry in its passwd file.
const serverID int64 = 999

func podSecurity() *corev1.PodSecurityContext {
	return &corev1.PodSecurityContext{
		RunAsNonRoot: ptr.To(true),
		RunAsUser:    ptr.To(serverID),
		RunAsGroup:   ptr.To(serverID),
		// Makes a new volume and the mounted passwords readable to the server.
		FSGroup: ptr.To(serverID),
		// A large volume is walked through once, not at each start.
		FSGroupChangePolicy: ptr.To(corev1.FSGroupChangeOnRootMismatch),
		SeccompProfile:      &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
}

func containerSecurity() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		AllowPrivilegeEscalation: ptr.To(false),
		ReadOnlyRootFilesystem:   ptr.To(true),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
}
