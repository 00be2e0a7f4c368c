package valkeynode

import (
	"context"
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/apitest"
)

// image returns a change of the template, with a guard unless it is "".
func image(name, guard string) func(*v1alpha1.ValkeyNode) {
	return func(n *v1alpha1.ValkeyNode) {
		n.Spec.PodTemplate.Spec.Containers[0].Image = name
		if guard != "" {
			n.Spec.PodTemplate.Annotations = map[string]string{v1alpha1.AnnotationRollIf: guard}
		}
	}
}

// runs waits until the node's pod has the image, and returns the pod.
func (w *world) runs(name, image string) *corev1.Pod {
	w.Helper()
	pod := &corev1.Pod{}
	apitest.Eventually(w.T, func(ctx context.Context) string {
		var pods corev1.PodList
		if err := w.Client.List(ctx, &pods); err != nil {
			return err.Error()
		}
		for _, p := range pods.Items {
			if p.Namespace == w.namespace && p.Labels[v1alpha1.LabelNode] == name && p.DeletionTimestamp == nil && p.Spec.Containers[0].Image == image {
				*pod = p
				return ""
			}
		}
		return "no pod of " + name + " with image " + image
	})
	return pod
}

func TestOutdatedPodWithoutGuardIsReplacedAtOnce(t *testing.T) {
	w := newWorld(t)
	w.Create(t, w.node("a"))
	w.awaitsReady("a")
	w.update("a", image("valkey/valkey:8.1", ""))
	w.runs("a", "valkey/valkey:8.1")
	w.awaitsReady("a")
}

func TestGuardThatMatches(t *testing.T) {
	w := newWorld(t)
	w.Create(t, w.node("a"))
	w.awaitsReady("a")
	w.update("a", image("valkey/valkey:8.1", string(w.pod("a").UID)+"/primary"))
	pod := w.runs("a", "valkey/valkey:8.1")
	if _, there := pod.Annotations[v1alpha1.AnnotationRollIf]; there {
		t.Error("the guard became part of the pod")
	}
	w.awaitsReady("a")
}

func TestGuardThatDoesNotMatch(t *testing.T) {
	for name, guard := range map[string]func(types.UID) string{
		"other pod":  func(types.UID) string { return "0000/primary" },
		"other role": func(uid types.UID) string { return string(uid) + "/replica" },
		"ready now":  func(uid types.UID) string { return string(uid) + "/unknown" },
		"garbled":    func(uid types.UID) string { return string(uid) },
		"empty":      func(types.UID) string { return "/" },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Create(t, w.node("a"))
			w.awaitsReady("a")
			before := w.pod("a").UID
			w.update("a", image("valkey/valkey:8.1", guard(before)))
			c := w.awaits("a", v1alpha1.ConditionProgressing, metav1.ConditionTrue, v1alpha1.ReasonRollStale)
			if !strings.Contains(c.Message, "the decision to replace it was made") {
				t.Errorf("message %q", c.Message)
			}
			w.settles()
			if pod := w.pod("a"); pod.UID != before || pod.DeletionTimestamp != nil {
				t.Fatal("the pod was replaced")
			}
			// The parent plans again.
			w.update("a", image("valkey/valkey:8.1", string(before)+"/primary"))
			w.runs("a", "valkey/valkey:8.1")
			w.awaitsReady("a")
		})
	}
}

// The server is asked at the moment of the replacement, whatever was seen last.
func TestGuardHoldsWhenTheRoleChangesInTheLastMoment(t *testing.T) {
	w := newWorld(t)
	w.Create(t, w.node("a"))
	w.awaitsReady("a")
	pod := w.pod("a")
	w.stop()
	w.update("a", image("valkey/valkey:8.1", string(pod.UID)+"/replica"))
	w.run() // the watcher has seen nothing yet
	w.awaits("a", v1alpha1.ConditionProgressing, metav1.ConditionTrue, v1alpha1.ReasonRollStale)
	if w.pod("a").UID != pod.UID {
		t.Error("the pod was replaced")
	}
}

// A4, case 8: a bad template is taken back without deleting anything by hand.
func TestBadTemplateIsTakenBack(t *testing.T) {
	w := newWorld(t)
	w.Create(t, w.node("a"))
	w.awaitsReady("a")
	w.sim.Pods(func(p *corev1.Pod) {
		if p.Spec.Containers[0].Image == "valkey/valkey:typo" {
			notReady(p)
			p.Status.ContainerStatuses[0].State = corev1.ContainerState{
				Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "Back-off pulling image"},
			}
		}
	})
	w.update("a", image("valkey/valkey:typo", string(w.pod("a").UID)+"/primary"))
	bad := w.runs("a", "valkey/valkey:typo")
	w.network.set(func(n *network) { n.silent = true })
	c := w.awaits("a", v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonImagePull)
	if !strings.Contains(c.Message, "valkey/valkey:typo") {
		t.Errorf("message %q", c.Message)
	}
	// The parent saw no server in that pod, and says so in the guard.
	w.update("a", image("valkey/valkey:9.1", string(bad.UID)+"/unknown"))
	w.runs("a", "valkey/valkey:9.1")
	w.network.set(func(n *network) { n.silent = false })
	w.awaitsReady("a")
}

// Case 9: an operator that renders other additions restarts nothing.
func TestTemplateRenderedByAnotherOperatorStays(t *testing.T) {
	w := newWorld(t)
	w.Create(t, w.node("a"))
	w.awaitsReady("a")
	w.stop()
	// What another version would have rendered, recorded as it does.
	file := get(w, "valkey-a", &corev1.ConfigMap{})
	file.Annotations["valkey.io/pod-template"] = strings.ReplaceAll(file.Annotations["valkey.io/pod-template"], "/etc/valkey/start.sh", "/etc/valkey/run.sh")
	if err := w.Client.Update(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	set := w.set("a")
	set.Spec.Template.Spec.Containers[0].Command[1] = "/etc/valkey/run.sh"
	if err := w.Client.Update(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	pod := w.pod("a")
	w.delete(pod) // the old operator's pod
	apitest.Eventually(t, func(ctx context.Context) string {
		if err := w.Client.Get(ctx, w.key("valkey-a-0"), pod); err != nil || pod.Spec.Containers[0].Command[1] != "/etc/valkey/run.sh" {
			return "no pod of the other version"
		}
		return ""
	})
	w.run()
	w.awaitsReady("a")
	w.settles()
	if now := w.pod("a"); now.UID != pod.UID || now.DeletionTimestamp != nil {
		t.Error("the pod was replaced")
	}
	if command := w.set("a").Spec.Template.Spec.Containers[0].Command[1]; command != "/etc/valkey/run.sh" {
		t.Errorf("the template's command became %s", command)
	}
	// It rides along with the next roll that the user asks for.
	w.update("a", image("valkey/valkey:8.1", ""))
	if rolled := w.runs("a", "valkey/valkey:8.1"); rolled.Spec.Containers[0].Command[1] != "/etc/valkey/start.sh" {
		t.Errorf("the new pod's command is %v", rolled.Spec.Containers[0].Command)
	}
}

func TestTemplateOutlivesItsRecord(t *testing.T) {
	w := newWorld(t)
	w.Create(t, w.node("a"))
	w.awaitsReady("a")
	pod := w.pod("a")
	w.delete(get(w, "valkey-a", &corev1.ConfigMap{}))
	apitest.Eventually(t, func(ctx context.Context) string {
		file := &corev1.ConfigMap{}
		if err := w.Client.Get(ctx, w.key("valkey-a"), file); err != nil {
			return err.Error()
		}
		return ""
	})
	w.settles()
	if now := w.pod("a"); now.UID != pod.UID {
		t.Error("the pod was replaced")
	}
}

func TestHandMadeChangesAreUndone(t *testing.T) {
	w := newWorld(t)
	w.Create(t, w.node("a"))
	w.awaitsReady("a")
	pod := w.pod("a")
	generation := w.set("a").Generation

	set := w.set("a")
	set.Spec.Template.Spec.Containers[0].Image = "example.com/other:1"
	if err := w.Client.Update(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	file := get(w, "valkey-a", &corev1.ConfigMap{})
	file.Data["valkey.conf"] = "maxmemory 1\n"
	if err := w.Client.Update(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	apitest.Eventually(t, func(ctx context.Context) string {
		if set := w.set("a"); set.Generation < generation+2 || set.Spec.Template.Spec.Containers[0].Image != "valkey/valkey:9.1" {
			return "the StatefulSet was not brought back: " + set.Spec.Template.Spec.Containers[0].Image
		}
		if text := get(w, "valkey-a", &corev1.ConfigMap{}).Data["valkey.conf"]; !strings.Contains(text, "dir /data") {
			return "valkey.conf was not brought back: " + text
		}
		return ""
	})
	w.settles()
	if now := w.pod("a"); now.UID != pod.UID || now.DeletionTimestamp != nil {
		t.Error("the pod was replaced")
	}
}

// Case 10.
func TestLabelsReachTheObjectsAndRestartNothing(t *testing.T) {
	w := newWorld(t)
	w.Create(t, w.node("a", persistent))
	w.awaitsReady("a")
	pod, set := w.pod("a"), w.set("a")
	w.update("a", func(n *v1alpha1.ValkeyNode) {
		n.Labels = map[string]string{v1alpha1.LabelCluster: "cache", "team": "blue"}
		n.Annotations = map[string]string{"team": "blue"}
	})
	apitest.Eventually(t, func(context.Context) string {
		for _, o := range []client.Object{w.set("a"), get(w, "valkey-a", &corev1.ConfigMap{}), get(w, "valkey-a-data", &corev1.PersistentVolumeClaim{})} {
			if o.GetLabels()[v1alpha1.LabelCluster] != "cache" || o.GetLabels()["team"] != "" {
				return fmt.Sprintf("%T has labels %v", o, o.GetLabels())
			}
		}
		return ""
	})
	w.settles()
	if now := w.set("a"); now.UID != set.UID || now.Generation != set.Generation {
		t.Error("the StatefulSet was made again, or its spec changed")
	}
	if now := w.pod("a"); now.UID != pod.UID || now.DeletionTimestamp != nil {
		t.Error("the pod was replaced")
	}
}

// A workload with another selector is made again around the same pod.
func TestImmutableFieldOfTheWorkload(t *testing.T) {
	w := newWorld(t)
	w.Create(t, w.node("a", persistent))
	w.awaitsReady("a")
	pod, set := w.pod("a"), w.set("a")
	w.update("a", func(n *v1alpha1.ValkeyNode) { n.Spec.ServiceName = "valkey-cache" })
	apitest.Eventually(t, func(ctx context.Context) string {
		now := &appsv1.StatefulSet{}
		if err := w.Client.Get(ctx, w.key("valkey-a"), now); err != nil {
			return err.Error()
		}
		if now.UID == set.UID || now.Spec.ServiceName != "valkey-cache" {
			return fmt.Sprintf("the StatefulSet has serviceName %q", now.Spec.ServiceName)
		}
		return ""
	})
	w.awaitsReady("a")
	w.settles()
	now := w.pod("a")
	if now.UID != pod.UID || now.DeletionTimestamp != nil {
		t.Error("the pod was replaced")
	}
	if owner := metav1.GetControllerOf(now); owner == nil || owner.UID != w.set("a").UID {
		t.Errorf("the pod belongs to %v", owner)
	}
}

func TestWorkloadOfSomebodyElse(t *testing.T) {
	w := newWorld(t)
	foreign := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "valkey-a"}}
	foreign.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}
	foreign.Spec.Template.Labels = map[string]string{"app": "x"}
	foreign.Spec.Template.Spec.Containers = []corev1.Container{{Name: "x", Image: "x"}}
	w.Create(t, foreign, w.node("a"))
	c := w.awaits("a", v1alpha1.ConditionResourcesReady, metav1.ConditionFalse, v1alpha1.ReasonNameConflict)
	if !strings.Contains(c.Message, "StatefulSet valkey-a") {
		t.Errorf("message %q", c.Message)
	}
	w.settles()
	if now := w.set("a"); now.Generation != foreign.Generation || len(now.OwnerReferences) > 0 {
		t.Error("it was touched")
	}
	w.delete(foreign)
	w.awaitsReady("a")
}

func deployment(n *v1alpha1.ValkeyNode) { n.Spec.WorkloadType = v1alpha1.WorkloadDeployment }

// For a Deployment writing the template is the restart, so the guard is asked
// before.
func TestDeploymentIsGuarded(t *testing.T) {
	w := newWorld(t)
	w.Create(t, w.node("a", deployment))
	w.awaitsReady("a")
	before := w.runs("a", "valkey/valkey:9.1")
	w.update("a", image("valkey/valkey:8.1", string(before.UID)+"/replica"))
	w.awaits("a", v1alpha1.ConditionProgressing, metav1.ConditionTrue, v1alpha1.ReasonRollStale)
	w.settles()
	d := get(w, "valkey-a", &appsv1.Deployment{})
	if d.Spec.Template.Spec.Containers[0].Image != "valkey/valkey:9.1" || d.Spec.Strategy.Type != appsv1.RecreateDeploymentStrategyType {
		t.Fatalf("the Deployment became %+v", d.Spec)
	}
	w.update("a", image("valkey/valkey:8.1", string(before.UID)+"/primary"))
	w.runs("a", "valkey/valkey:8.1")
	w.awaitsReady("a")
}

func TestDeploymentGoesWithItsPod(t *testing.T) {
	w := newWorld(t)
	n := w.node("a", deployment)
	w.Create(t, n)
	w.awaitsReady("a")
	w.delete(n)
	w.awaitsGone("a", n)
	w.awaitsGone("valkey-a", &appsv1.Deployment{})
}

func notReady(p *corev1.Pod) {
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}}
	for i := range p.Status.ContainerStatuses {
		p.Status.ContainerStatuses[i].Ready = false
	}
}
