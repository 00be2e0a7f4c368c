package vkcluster

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/spec"
)

// searchPath has the script that logs in before the programs of the image.
const searchPath = loginDir + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// server returns the container that runs Valkey. Nothing but its data volume
// is writable to it.
func server(c spec.Cluster) corev1.Container {
	return corev1.Container{
		Name:  v1alpha1.ServerContainer,
		Image: c.Image,
		Env: []corev1.EnvVar{
			{Name: "PATH", Value: searchPath},
			{Name: v1alpha1.EnvSuccession, Value: scriptsDir + "/" + successionScript},
			// A net below the hand-over of the preStop step.
			{Name: v1alpha1.EnvStopFailover, Value: "yes"},
			{Name: v1alpha1.EnvPodUID, ValueFrom: &corev1.EnvVarSource{
				FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.uid"},
			}},
		},
		Ports: []corev1.ContainerPort{
			{Name: portClient, ContainerPort: v1alpha1.PortClient, Protocol: corev1.ProtocolTCP},
			{Name: portBus, ContainerPort: v1alpha1.PortBus, Protocol: corev1.ProtocolTCP},
		},
		Resources: c.Resources,
		VolumeMounts: []corev1.VolumeMount{
			{Name: scriptsVolume, MountPath: scriptsDir, ReadOnly: true},
			{Name: secretsVolume, MountPath: secretsDir, ReadOnly: true},
		},
		ReadinessProbe:           readiness(),
		LivenessProbe:            liveness(),
		Lifecycle:                &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Exec: run(preStopScript)}},
		SecurityContext:          containerSecurity(),
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
	}
}

// readiness asks often, because clients wait for it and it is cheap.
func readiness() *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler:     corev1.ProbeHandler{Exec: run(probeScript, "readiness")},
		PeriodSeconds:    1,
		TimeoutSeconds:   3,
		FailureThreshold: 3,
	}
}

// liveness gives a server that has stopped answering a minute. One that is
// merely slow, on a command or on its disk, loses its data by a restart; the
// rest of the cluster has replaced it long before.
func liveness() *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler:     corev1.ProbeHandler{Exec: run(probeScript, "liveness")},
		PeriodSeconds:    10,
		TimeoutSeconds:   5,
		FailureThreshold: 6,
	}
}

// run executes a script by way of the shell, so that neither its mode nor a
// noexec mount matters.
func run(script string, args ...string) *corev1.ExecAction {
	return &corev1.ExecAction{Command: append([]string{"/bin/sh", scriptsDir + "/" + script}, args...)}
}
