package valkeynode

import (
	"context"
	"net/netip"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// podIPIndex finds pods by address.
const podIPIndex = "status.podIP"

func podIPs(o client.Object) []string {
	if ip := o.(*corev1.Pod).Status.PodIP; ip != "" {
		return []string{ip}
	}
	return nil
}

// nodeAt returns the name of the ValkeyNode whose server answers at host, which
// is an address or a host name as servers announce it. It is "" when no pod of
// ours is there.
func (r *Reconciler) nodeAt(ctx context.Context, namespace, host string) (string, error) {
	if host == "" {
		return "", nil
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return r.nodeWithIP(ctx, namespace, host)
	}
	var pod corev1.Pod
	if err := r.Client.Get(ctx, types.NamespacedName{Namespace: namespace, Name: podNamed(host)}, &pod); err != nil {
		return "", client.IgnoreNotFound(err)
	}
	return pod.Labels[v1alpha1.LabelNode], nil
}

// podNamed returns the name of the pod with this DNS name, which begins with it.
func podNamed(host string) string {
	name, _, _ := strings.Cut(host, ".")
	return name
}

// isAt reports whether host is an address or DNS name of the pod.
func isAt(p *corev1.Pod, host string) bool {
	return host == p.Status.PodIP || podNamed(host) == p.Name
}

// nodeWithIP prefers a pod that is not on its way out: addresses are used again.
func (r *Reconciler) nodeWithIP(ctx context.Context, namespace, ip string) (string, error) {
	var pods corev1.PodList
	if err := r.Client.List(ctx, &pods, client.InNamespace(namespace), client.MatchingFields{podIPIndex: ip}); err != nil {
		return "", err
	}
	if pod := current(pods.Items); pod != nil {
		return pod.Labels[v1alpha1.LabelNode], nil
	}
	return "", nil
}
