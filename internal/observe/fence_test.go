package observe

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/valkey-operator/valkey-operator/internal/topology"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

func TestFence(t *testing.T) {
	refused := &valkey.NetError{Op: "dial", Kind: valkey.ErrRefused, Err: valkey.ErrRefused}
	silent := &valkey.NetError{Op: "dial", Kind: valkey.ErrTimeout, Err: valkey.ErrTimeout}
	machine := func(taints ...string) *corev1.Node {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "m"}}
		for _, key := range taints {
			n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoExecute})
		}
		return n
	}
	pod := func(uid types.UID, change func(*corev1.Pod)) *corev1.Pod {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: uid}}
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "server", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
		if change != nil {
			change(p)
		}
		return p
	}
	going := func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{} }
	crashed := func(p *corev1.Pod) {
		p.Status.ContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 137}}
	}
	waits := func(p *corev1.Pod) {
		p.Status.ContainerStatuses[0].State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
		p.Status.ContainerStatuses[0].LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 1}
	}
	for _, c := range []struct {
		name   string
		node   *corev1.Node
		pod    *corev1.Pod
		err    error
		fenced bool
	}{
		{"silent pod on a silent machine", machine(corev1.TaintNodeUnreachable), pod("pod-1", nil), silent, false},
		{"stuck pod on a silent machine", machine(corev1.TaintNodeUnreachable), pod("pod-1", going), silent, false},
		{"stuck pod, machine out of service", machine(corev1.TaintNodeOutOfService), pod("pod-1", going), silent, true},
		{"pod not evicted, machine out of service", machine(corev1.TaintNodeOutOfService), pod("pod-1", nil), silent, false},
		{"new pod, machine out of service", machine(corev1.TaintNodeOutOfService), pod("pod-2", nil), silent, true},
		{"no pod, machine there", machine(), nil, nil, false},
		{"no pod, machine deleted", nil, nil, nil, true},
		{"new pod, machine deleted", nil, pod("pod-2", nil), refused, true},
		{"pod still there, machine deleted", nil, pod("pod-1", nil), silent, false},
		{"pod still going, machine deleted", nil, pod("pod-1", going), silent, false},
		{"container crashed and nothing listens", machine(), pod("pod-1", crashed), refused, true},
		{"container waits and nothing listens", machine(), pod("pod-1", waits), refused, true},
		{"container crashed, by an old word", machine(), pod("pod-1", crashed), silent, false},
		{"container stopped cleanly", machine(), pod("pod-1", func(p *corev1.Pod) {
			p.Status.ContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
		}), refused, false},
		{"container runs and nothing listens", machine(), pod("pod-1", nil), refused, false},
		{"pod failed", machine(), pod("pod-1", func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }), silent, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var there []client.Object
			if c.node != nil {
				there = append(there, c.node)
			}
			var pods []corev1.Pod
			if c.pod != nil {
				pods = append(pods, *c.pod)
			}
			machines := &Machines{Reader: fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(there...).Build()}
			m := topology.Member{Name: "c-0-0", Last: topology.Last{ID: "a", Pod: "pod-1", Machine: "m"}}
			if why := fence(t.Context(), machines, m, pods, c.err); (why != "") != c.fenced {
				t.Errorf("fenced: %q (N11)", why)
			}
			if why := fence(t.Context(), machines, topology.Member{Name: "c-0-0"}, pods, c.err); why != "" {
				t.Errorf("fenced, and never seen: %q", why)
			}
		})
	}
}
