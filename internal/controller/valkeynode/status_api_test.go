package valkeynode

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/apitest"
)

// status waits until the condition holds for the node's status.
func (w *world) status(name string, holds func(v1alpha1.ValkeyNodeStatus) bool) {
	w.Helper()
	apitest.Eventually(w.T, func(ctx context.Context) string {
		n := get(w, name, &v1alpha1.ValkeyNode{})
		if holds(n.Status) {
			return ""
		}
		return fmt.Sprintf("status %+v", n.Status)
	})
}

func TestRoleAndPrimaryFollowTheServer(t *testing.T) {
	w := newWorld(t)
	w.Create(t, w.node("cache-0-0"), w.node("cache-0-1"))
	w.awaitsReady("cache-0-0")
	w.awaitsReady("cache-0-1")
	first, second := w.pod("cache-0-0"), w.pod("cache-0-1")

	for spelling, host := range map[string]string{
		"address":   first.Status.PodIP,
		"host name": first.Name + ".valkey-cache." + w.namespace + ".svc.cluster.local",
	} {
		t.Run(spelling, func(t *testing.T) {
			w.network.at(second.Status.PodIP, func(s *server) { s.role, s.primary = "slave", host })
			w.status("cache-0-1", func(s v1alpha1.ValkeyNodeStatus) bool {
				return s.ObservedRole == v1alpha1.RoleReplica && s.ObservedReplicaOf == "cache-0-0" && s.Ready
			})
			w.network.at(second.Status.PodIP, func(s *server) { s.role, s.primary = "master", "" })
			w.status("cache-0-1", func(s v1alpha1.ValkeyNodeStatus) bool {
				return s.ObservedRole == v1alpha1.RolePrimary && s.ObservedReplicaOf == ""
			})
		})
	}
}

// A replica may know the address of a pod that the operator has not seen yet.
func TestPrimaryThatAppearsLater(t *testing.T) {
	w := newWorld(t)
	w.Create(t, w.node("cache-0-0"))
	w.awaitsReady("cache-0-0")
	w.network.at(w.pod("cache-0-0").Status.PodIP, func(s *server) { s.role, s.primary = "slave", "10.1.0.3" })
	w.status("cache-0-0", func(s v1alpha1.ValkeyNodeStatus) bool {
		return s.ObservedRole == v1alpha1.RoleReplica && s.ObservedReplicaOf == ""
	})
	w.settles()
	w.Create(t, w.node("cache-0-1")) // gets 10.1.0.3
	w.awaitsReady("cache-0-1")
	if ip := w.pod("cache-0-1").Status.PodIP; ip != "10.1.0.3" {
		t.Fatalf("the simulation gave address %s", ip)
	}
	w.status("cache-0-0", func(s v1alpha1.ValkeyNodeStatus) bool { return s.ObservedReplicaOf == "cache-0-1" })
}

func TestServerThatDoesNotAnswer(t *testing.T) {
	w := newWorld(t)
	w.Create(t, w.node("a"))
	w.awaitsReady("a")
	w.network.set(func(n *network) { n.silent = true })
	c := w.awaits("a", v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonServerUnreachable)
	if strings.Contains(c.Message, "10.1.") {
		t.Errorf("an address in the message, which may change: %q", c.Message)
	}
	w.status("a", func(s v1alpha1.ValkeyNodeStatus) bool { return !s.Ready && s.ObservedRole == "" })
	w.settles()
	w.network.set(func(n *network) { n.silent = false })
	w.awaitsReady("a")
}

func TestLogin(t *testing.T) {
	w := newWorld(t)
	w.network.set(func(n *network) { n.password = "s3cret" })
	w.Create(t, w.node("a", func(n *v1alpha1.ValkeyNode) {
		n.Spec.Access = &v1alpha1.NodeAccess{PasswordSecretRef: &v1alpha1.SecretKeyReference{Name: "auth", Key: "operator"}}
	}))
	c := w.awaits("a", v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonCredentialsMissing)
	if c.Message != "Secret auth, which access names, does not exist" {
		t.Errorf("message %q", c.Message)
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "auth"}}
	w.Create(t, secret) // without our label: nobody is woken, and yet it is found
	apitest.Eventually(t, func(ctx context.Context) string {
		n := get(w, "a", &v1alpha1.ValkeyNode{})
		if c := find(n.Status.Conditions, v1alpha1.ConditionReady); !strings.Contains(c.Message, "has no key operator") {
			return c.Message
		}
		return ""
	})
	secret.Data = map[string][]byte{"operator": []byte("wrong")}
	if err := w.Client.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	c = w.awaits("a", v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonServerUnreachable)
	if !strings.Contains(c.Message, "authentication failed") {
		t.Errorf("message %q", c.Message)
	}
	secret.Data = map[string][]byte{"operator": []byte("s3cret")}
	if err := w.Client.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	w.awaitsReady("a")
	for _, line := range logged.take() {
		if strings.Contains(line, "s3cret") || strings.Contains(line, "wrong") {
			t.Errorf("a password in the log: %s", line)
		}
	}
}

func TestConfigIsAppliedLive(t *testing.T) {
	w := newWorld(t)
	w.Create(t, w.node("a"))
	w.awaitsReady("a")
	pod := w.pod("a")
	w.awaits("a", v1alpha1.ConditionConfigApplied, metav1.ConditionTrue, v1alpha1.ReasonApplied)
	if sent := w.network.sets(); len(sent) > 0 {
		t.Errorf("the first start was followed by CONFIG SET %v", sent)
	}

	config := func(pairs map[string]intstr.IntOrString) {
		w.update("a", func(n *v1alpha1.ValkeyNode) { n.Spec.Config = pairs })
	}
	config(map[string]intstr.IntOrString{"maxmemory": intstr.FromString("100mb"), "save": intstr.FromString("900 1 300 10")})
	w.awaits("a", v1alpha1.ConditionConfigApplied, metav1.ConditionTrue, v1alpha1.ReasonApplied)
	file := func() string { return get(w, "valkey-a", &corev1.ConfigMap{}).Data["valkey.conf"] }
	if text := file(); !strings.Contains(text, "maxmemory 100mb\n") || !strings.Contains(text, "save \"900 1 300 10\"\n") {
		t.Errorf("valkey.conf:\n%s", text)
	}

	config(map[string]intstr.IntOrString{"maxmemory": intstr.FromString("abc"), "maxmemroy": intstr.FromInt32(1)})
	c := w.awaits("a", v1alpha1.ConditionConfigApplied, metav1.ConditionFalse, v1alpha1.ReasonConfigRejected)
	want := "the server refuses maxmemory: argument must be a memory value; " +
		"the server refuses maxmemroy: Unknown option or number of arguments for CONFIG SET - 'maxmemroy'"
	if c.Message != want {
		t.Errorf("message %q", c.Message)
	}
	if text := file(); !strings.Contains(text, "maxmemory 100mb\n") || strings.Contains(text, "maxmemroy") {
		t.Errorf("valkey.conf:\n%s", text)
	}
	w.awaits("a", v1alpha1.ConditionReady, metav1.ConditionTrue, v1alpha1.ReasonServerAnswers)

	config(map[string]intstr.IntOrString{"maxmemory": intstr.FromString("100mb"), "io-threads": intstr.FromInt32(4)})
	c = w.awaits("a", v1alpha1.ConditionConfigApplied, metav1.ConditionFalse, v1alpha1.ReasonRestartRequired)
	if c.Message != "io-threads, save: applied when the server is restarted" {
		t.Errorf("message %q", c.Message)
	}
	w.settles()
	if now := w.pod("a"); now.UID != pod.UID || now.DeletionTimestamp != nil {
		t.Error("the pod was replaced")
	}
	w.delete(pod)
	w.awaits("a", v1alpha1.ConditionConfigApplied, metav1.ConditionTrue, v1alpha1.ReasonApplied)
}

// At creation no server can be asked: the first start says what is wrong.
func TestTypoAtCreationIsQuotedAndTakenBack(t *testing.T) {
	w := newWorld(t)
	w.network.set(func(n *network) { n.silent = true })
	w.sim.Pods(func(p *corev1.Pod) {
		notReady(p)
		p.Status.ContainerStatuses[0].State = waiting("CrashLoopBackOff", "back-off 10s restarting failed container")
		p.Status.ContainerStatuses[0].LastTerminationState = ended(1, "Error", fatal)
	})
	w.Create(t, w.node("a", func(n *v1alpha1.ValkeyNode) {
		n.Spec.Config = map[string]intstr.IntOrString{"maxmemroy": intstr.FromString("1gb")}
	}))
	c := w.awaits("a", v1alpha1.ConditionConfigApplied, metav1.ConditionFalse, v1alpha1.ReasonCrashLoop)
	if !strings.Contains(c.Message, ">>> 'maxmemroy 1gb'") {
		t.Errorf("message %q", c.Message)
	}
	w.update("a", func(n *v1alpha1.ValkeyNode) { n.Spec.Config = map[string]intstr.IntOrString{} })
	apitest.Eventually(t, func(context.Context) string {
		if text := get(w, "valkey-a", &corev1.ConfigMap{}).Data["valkey.conf"]; strings.Contains(text, "maxmemroy") {
			return text
		}
		return ""
	})
	w.sim.Pods(nil)
	w.network.set(func(n *network) { n.silent = false })
	w.awaitsReady("a")
	w.awaits("a", v1alpha1.ConditionConfigApplied, metav1.ConditionTrue, v1alpha1.ReasonApplied)
}

// A server that cannot load its data is nothing that waiting helps with. Its words
// are told, and the names of keys are not.
func TestDamagedDataIsTold(t *testing.T) {
	w := newWorld(t)
	w.network.set(func(n *network) { n.silent = true })
	w.sim.Pods(func(p *corev1.Pod) {
		notReady(p)
		p.Status.ContainerStatuses[0].State = waiting("CrashLoopBackOff", "back-off 10s restarting failed container")
		p.Status.ContainerStatuses[0].LastTerminationState = ended(65, "Error", damagedData)
	})
	w.Create(t, w.node("a", persistent))
	c := w.awaits("a", v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonDataDamaged)
	for _, part := range []string{"Unexpected EOF reading RDB file", "delete the claim valkey-a-data and the pod"} {
		if !strings.Contains(c.Message, part) {
			t.Errorf("message %q lacks %q", c.Message, part)
		}
	}
	if strings.Contains(c.Message, "name-of-a-customer") {
		t.Errorf("message %q", c.Message)
	}
	if p := w.pod("a"); p.Spec.Containers[0].TerminationMessagePolicy != corev1.TerminationMessageFallbackToLogsOnError {
		t.Error("the kubelet does not keep what the server says")
	}
	w.sim.Pods(nil)
	w.network.set(func(n *network) { n.silent = false })
	w.awaitsReady("a")
}

func TestTimesStandStillAndEventsComeOnce(t *testing.T) {
	w := newWorld(t)
	w.sim.Pods(func(p *corev1.Pod) {
		notReady(p)
		// The kubelet changes between the two, again and again.
		reason := []string{"ErrImagePull", "ImagePullBackOff"}[time.Now().UnixMilli()/100%2]
		p.Status.ContainerStatuses[0].State = waiting(reason, time.Now().String())
	})
	w.Create(t, w.node("a"))
	w.awaits("a", v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonImagePull)
	apitest.Eventually(t, func(context.Context) string {
		if get(w, "a", &v1alpha1.ValkeyNode{}).Status.ObservedRole == "" {
			return "the server was not asked yet"
		}
		return ""
	})
	before := get(w, "a", &v1alpha1.ValkeyNode{})
	time.Sleep(time.Second)
	if after := get(w, "a", &v1alpha1.ValkeyNode{}); after.ResourceVersion != before.ResourceVersion {
		t.Errorf("the status was written again:\n%+v\n%+v", before.Status, after.Status)
	}
	var events eventsv1.EventList
	if err := w.Client.List(t.Context(), &events, client.InNamespace(w.namespace)); err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, e := range events.Items {
		if e.Reason == v1alpha1.ReasonImagePull {
			count++
		}
	}
	if count != 1 {
		t.Errorf("%d events of reason %s: %+v", count, v1alpha1.ReasonImagePull, events.Items)
	}
}

// A new life of the operator has asked no server yet, and says nothing of that:
// a node that is ready stays so.
func TestNextLifeWritesNoStatus(t *testing.T) {
	w := newWorld(t)
	w.Create(t, w.node("a"))
	w.awaitsReady("a")
	w.settles()
	w.stop()
	before := get(w, "a", &v1alpha1.ValkeyNode{})
	w.network.set(func(n *network) { n.dials = 0 })
	w.run()
	apitest.Eventually(t, func(context.Context) string {
		dials := 0
		w.network.set(func(n *network) { dials = n.dials })
		if dials == 0 {
			return "the server was not asked yet"
		}
		return ""
	})
	for end := time.Now().Add(time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if after := get(w, "a", &v1alpha1.ValkeyNode{}); after.ResourceVersion != before.ResourceVersion {
			t.Fatalf("the status was written:\n%+v\n%+v", before.Status, after.Status)
		}
	}
}

func TestTemplateWithoutServer(t *testing.T) {
	w := newWorld(t)
	w.Create(t, w.node("a", func(n *v1alpha1.ValkeyNode) {
		n.Spec.PodTemplate.Spec.Containers = []corev1.Container{{Name: "x", Image: "x"}, {Name: "y", Image: "y"}}
	}))
	w.awaits("a", v1alpha1.ConditionResourcesReady, metav1.ConditionFalse, v1alpha1.ReasonInvalidTemplate)
	w.update("a", func(n *v1alpha1.ValkeyNode) { n.Spec.PodTemplate.Spec.Containers[0].Name = "server" })
	w.awaitsReady("a")
}

func TestTemplateThatTheAPIServerRefuses(t *testing.T) {
	w := newWorld(t)
	w.Create(t, w.node("a", func(n *v1alpha1.ValkeyNode) { n.Spec.PodTemplate.Spec.Containers[0].Name = "No_Name" }))
	c := w.awaits("a", v1alpha1.ConditionResourcesReady, metav1.ConditionFalse, v1alpha1.ReasonRefused)
	if !strings.Contains(c.Message, "No_Name") {
		t.Errorf("message %q", c.Message)
	}
	w.settles()
	w.update("a", func(n *v1alpha1.ValkeyNode) { n.Spec.PodTemplate.Spec.Containers[0].Name = "server" })
	w.awaitsReady("a")
}
