package podtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// Cut cuts machines off from all others, but not from each other.
func (k Kube) Cut(ctx context.Context, machines ...string) error {
	return testbed(ctx, "cut", machines)
}

// Isolate cuts machines off from all others and from each other.
func (k Kube) Isolate(ctx context.Context, machines ...string) error {
	for _, m := range machines {
		if err := k.Cut(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// Heal ends what Cut or Isolate did.
func (k Kube) Heal(ctx context.Context, machines ...string) error {
	return testbed(ctx, "heal", machines)
}

// ErrNoTestbed says that machines cannot be harmed here.
var ErrNoTestbed = errors.New("TESTBED does not name the command testbed, without which no machine can be cut off; the targets of make set it")

func testbed(ctx context.Context, command string, machines []string) error {
	path := os.Getenv("TESTBED")
	if path == "" {
		return ErrNoTestbed
	}
	out, err := exec.CommandContext(ctx, path, append([]string{command}, machines...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("testbed %s: %w: %s", command, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// Cordon keeps new pods from machines; Uncordon ends that.
func (k Kube) Cordon(ctx context.Context, machines ...string) error {
	return k.patchMachines(ctx, machines, func(m *corev1.Node) { m.Spec.Unschedulable = true })
}

// Uncordon lets new pods onto machines again.
func (k Kube) Uncordon(ctx context.Context, machines ...string) error {
	return k.patchMachines(ctx, machines, func(m *corev1.Node) { m.Spec.Unschedulable = false })
}

var outOfService = corev1.Taint{Key: corev1.TaintNodeOutOfService, Value: "nodeshutdown", Effect: corev1.TaintEffectNoExecute}

// Taint vouches, as a human does, that machines are out of service; Untaint
// takes them back.
func (k Kube) Taint(ctx context.Context, machines ...string) error {
	return k.patchMachines(ctx, machines, func(m *corev1.Node) { m.Spec.Taints = append(m.Spec.Taints, outOfService) })
}

// Untaint says that machines are back in service.
func (k Kube) Untaint(ctx context.Context, machines ...string) error {
	return k.patchMachines(ctx, machines, func(m *corev1.Node) {
		m.Spec.Taints = slices.DeleteFunc(m.Spec.Taints, func(t corev1.Taint) bool { return t.Key == outOfService.Key })
	})
}

// patchMachines changes machines. Others change their taints too, so it insists
// on what it read, and reads again.
func (k Kube) patchMachines(ctx context.Context, machines []string, change func(*corev1.Node)) error {
	for _, name := range machines {
		err := Until(ctx, askLimit, 0, "changing machine "+name, func() error {
			m := &corev1.Node{}
			if err := k.Get(ctx, client.ObjectKey{Name: name}, m); err != nil {
				return err
			}
			patch := client.MergeFromWithOptions(m.DeepCopy(), client.MergeFromWithOptimisticLock{})
			change(m)
			return k.Patch(ctx, m, patch)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// MachineReady reports whether Kubernetes holds a machine for ready.
func (k Kube) MachineReady(ctx context.Context, machine string) (bool, error) {
	m := &corev1.Node{}
	if err := k.Get(ctx, client.ObjectKey{Name: machine}, m); err != nil {
		return false, err
	}
	for _, c := range m.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue, nil
		}
	}
	return false, nil
}

// Machines returns the names of all machines.
func (k Kube) Machines(ctx context.Context) ([]string, error) {
	list := &corev1.NodeList{}
	if err := k.List(ctx, list); err != nil {
		return nil, err
	}
	var names []string
	for _, m := range list.Items {
		names = append(names, m.Name)
	}
	return names, nil
}

// Place decides, before the cluster is created, on which machines the nodes of
// a cluster with volumes will run. It makes their claims, as a switch from
// another installation would leave them, and has each volume made there.
func (n Namespace) Place(ctx context.Context, cluster, storageClass string, machines map[string]string) error {
	for node, machine := range machines {
		claim := &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: n.Name,
				Name:      "valkey-" + node + "-data",
				Labels: map[string]string{
					v1alpha1.LabelCluster: cluster, v1alpha1.LabelNode: node, v1alpha1.LabelManagedBy: "valkey-operator",
				},
				Annotations: map[string]string{"volume.kubernetes.io/selected-node": machine},
			},
			Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				StorageClassName: &storageClass,
				Resources: corev1.VolumeResourceRequirements{
					Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
				},
			},
		}
		if err := n.Create(ctx, claim); err != nil {
			return err
		}
	}
	return nil
}
