package podtest

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// Cluster reads a ValkeyCluster.
func (n Namespace) Cluster(ctx context.Context, name string) (*v1alpha1.ValkeyCluster, error) {
	c := &v1alpha1.ValkeyCluster{}
	return c, n.Get(ctx, client.ObjectKey{Namespace: n.Name, Name: name}, c)
}

// Pods returns the pods of a cluster by the name of their ValkeyNode.
func (n Namespace) Pods(ctx context.Context, cluster string) (map[string]corev1.Pod, error) {
	list := &corev1.PodList{}
	if err := n.List(ctx, list, client.InNamespace(n.Name), client.MatchingLabels{v1alpha1.LabelCluster: cluster}); err != nil {
		return nil, err
	}
	pods := map[string]corev1.Pod{}
	for _, p := range list.Items {
		pods[p.Labels[v1alpha1.LabelNode]] = p
	}
	return pods, nil
}

// Ready returns nil if the cluster says that it is Ready, of the spec that it
// has now, and otherwise what it says.
func Ready(c *v1alpha1.ValkeyCluster) error {
	condition := meta.FindStatusCondition(c.Status.Conditions, v1alpha1.ConditionReady)
	switch {
	case condition == nil:
		return errors.New("no condition Ready")
	case c.Status.ObservedGeneration != c.Generation:
		return fmt.Errorf("generation %d observed, the spec has %d", c.Status.ObservedGeneration, c.Generation)
	case c.Status.State != v1alpha1.StateReady || condition.Status != metav1.ConditionTrue:
		return errors.New(Says(c))
	}
	return nil
}

// Says returns what the status of the cluster says.
func Says(c *v1alpha1.ValkeyCluster) string {
	return fmt.Sprintf("%s, %s: %s", c.Status.State, c.Status.Reason, c.Status.Message)
}

// credentials are those that applications find in the connection Secret.
func (n Namespace) credentials(ctx context.Context, cluster string) (valkey.Credentials, error) {
	secret := &corev1.Secret{}
	err := n.Get(ctx, client.ObjectKey{Namespace: n.Name, Name: cluster + "-auth"}, secret)
	return valkey.Credentials{
		Username: string(secret.Data["username"]),
		Password: valkey.NewPassword(string(secret.Data["password"])),
	}, err
}

// address returns where the server of a pod is.
func address(p corev1.Pod) (netip.AddrPort, bool) {
	ip, err := netip.ParseAddr(p.Status.PodIP)
	return netip.AddrPortFrom(ip, v1alpha1.PortClient), err == nil
}
