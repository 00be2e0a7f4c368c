package valkeynode

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// outdated reports whether the pod was made from another template than the
// StatefulSet has now. A Deployment sees to that itself.
func outdated(w *workload, p *corev1.Pod) bool {
	return w != nil && w.revision != "" && p != nil && !going(p) &&
		p.Labels[appsv1.ControllerRevisionHashLabelKey] != w.revision
}
