package valkeynode

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/act"
	"github.com/valkey-operator/valkey-operator/internal/render/vknode"
	"github.com/valkey-operator/valkey-operator/internal/watch"
)

// seen is what there is of a node at the beginning of a pass. What is nil does
// not exist, or is not the node's.
type seen struct {
	node *v1alpha1.ValkeyNode

	claim     *corev1.PersistentVolumeClaim
	configMap *corev1.ConfigMap
	workload  *workload
	pods      []corev1.Pod // of the workload, those on their way out too
	pod       *corev1.Pod  // the one that stands for the node

	// server is what is known of the server in pod; nil if that is nothing.
	server *watch.Observation
	// replicaOf is the name of the ValkeyNode that the server replicates.
	replicaOf string
	// class is what there is of the claim's storage class while the claim
	// waits for a volume.
	class class

	parent        parent
	namespaceGoes bool
}

// role returns the role that the server was seen in, or "".
func (s *seen) role() v1alpha1.NodeRole {
	if s.server == nil {
		return ""
	}
	return v1alpha1.NodeRole(s.server.Role)
}

// process returns which start of the server there is, as far as it is known.
func (s *seen) process() vknode.Process {
	var p vknode.Process
	if s.pod != nil {
		p.Pod = string(s.pod.UID)
	}
	if s.server != nil {
		p.Run = s.server.RunID
	}
	return p
}

func (s *seen) leaving() leave { return leaving(s.node, s.parent, s.namespaceGoes) }

// observe reads everything that a pass goes by.
func (r *Reconciler) observe(ctx context.Context, n *v1alpha1.ValkeyNode) (*seen, error) {
	s := &seen{node: n}
	for _, read := range []func(context.Context, *seen) error{
		r.readClaim, r.readConfigMap, r.readWorkload, r.readPods, r.readServer, r.readDeparture,
	} {
		if err := read(ctx, s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (r *Reconciler) readConfigMap(ctx context.Context, s *seen) error {
	c := &corev1.ConfigMap{}
	found, err := r.read(ctx, s.node, vknode.ConfigMapName(s.node), c)
	if found && mine(s.node)(c) {
		s.configMap = c
	}
	return err
}

// mine tells the node's objects from others of their names. One that belongs to
// nobody and has the node's labels was left behind, for example when the node
// was deleted with orphaning and made again: it is taken back.
func mine(n *v1alpha1.ValkeyNode) func(metav1.Object) bool {
	return func(o metav1.Object) bool {
		return act.ControlledBy(n.UID)(o) || metav1.GetControllerOf(o) == nil && vknode.Ours(o, n.Name)
	}
}

func (r *Reconciler) readWorkload(ctx context.Context, s *seen) error {
	o := emptyWorkload(s.node)
	found, err := r.read(ctx, s.node, vknode.WorkloadName(s.node), o)
	if found && mine(s.node)(o) {
		s.workload = asWorkload(s.node, o)
	}
	return err
}

func (r *Reconciler) readPods(ctx context.Context, s *seen) error {
	var pods corev1.PodList
	err := r.Client.List(ctx, &pods, client.InNamespace(s.node.Namespace), client.MatchingLabels(vknode.Selector(s.node.Name)))
	s.pods = ownPods(s.node, pods.Items)
	s.pod = current(s.pods)
	return err
}

// readServer takes what the watcher saw last, if that was the same pod.
func (r *Reconciler) readServer(ctx context.Context, s *seen) error {
	last, ok := r.Watcher.Last(watchKey(s.node))
	if !ok || s.pod == nil || last.Pod != string(s.pod.UID) {
		return nil
	}
	s.server = &last
	var err error
	s.replicaOf, err = r.nodeAt(ctx, s.node.Namespace, last.Primary.Host)
	return err
}

// read gets an object of the node's namespace from the cache, and reports
// whether it is there.
func (r *Reconciler) read(ctx context.Context, n *v1alpha1.ValkeyNode, name string, into client.Object) (bool, error) {
	err := r.Client.Get(ctx, types.NamespacedName{Namespace: n.Namespace, Name: name}, into)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}
