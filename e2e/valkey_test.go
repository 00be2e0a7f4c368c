package e2e

import (
	"context"
	"fmt"
	"net"
	"strings"

	valkeygo "github.com/valkey-io/valkey-go"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// dial returns a cluster-aware client that logs in with the connection Secret,
// as an application would.
func (e *env) dial(cluster string) valkeygo.Client {
	e.t.Helper()
	secret := &corev1.Secret{}
	e.must(e.Get(e.ctx(), client.ObjectKey{Namespace: e.Name, Name: cluster + "-auth"}, secret))
	var addresses []string
	for _, p := range e.pods(cluster) {
		addresses = append(addresses, net.JoinHostPort(p.Status.PodIP, "6379"))
	}
	c, err := valkeygo.NewClient(valkeygo.ClientOption{
		InitAddress:  addresses,
		Username:     string(secret.Data["username"]),
		Password:     string(secret.Data["password"]),
		DisableCache: true,
	})
	e.must(err)
	e.t.Cleanup(c.Close)
	return c
}

// write sets n keys; read checks that all of them are there.
func (e *env) write(cluster string, n int) {
	e.t.Helper()
	c := e.dial(cluster)
	cmds := make([]valkeygo.Completed, n)
	for i := range cmds {
		cmds[i] = c.B().Set().Key(key(i)).Value(value(i)).Build()
	}
	for _, r := range c.DoMulti(e.ctx(), cmds...) {
		e.must(r.Error())
	}
}

func (e *env) read(cluster string, n int) {
	e.t.Helper()
	c := e.dial(cluster)
	cmds := make([]valkeygo.Completed, n)
	for i := range cmds {
		cmds[i] = c.B().Get().Key(key(i)).Build()
	}
	missing := 0
	var last string
	for i, r := range c.DoMulti(e.ctx(), cmds...) {
		if got, err := r.ToString(); err != nil || got != value(i) {
			missing++
			last = fmt.Sprintf("%s is %q: %v", key(i), got, err)
		}
	}
	if missing > 0 {
		e.t.Errorf("%d of %d keys are missing; %s", missing, n, last)
	}
}

func key(i int) string   { return fmt.Sprintf("key:%d", i) }
func value(i int) string { return fmt.Sprintf("value-%d", i) }

// server is a direct connection to the server of one pod, for the test's time.
func (e *env) server(cluster, podIP string) valkeygo.Client {
	e.t.Helper()
	c, err := e.connect(cluster, podIP)
	e.must(err)
	e.t.Cleanup(c.Close)
	return c
}

func (e *env) connect(cluster, podIP string) (valkeygo.Client, error) {
	secret := &corev1.Secret{}
	if err := e.Get(e.ctx(), client.ObjectKey{Namespace: e.Name, Name: cluster + "-auth"}, secret); err != nil {
		return nil, err
	}
	return valkeygo.NewClient(valkeygo.ClientOption{
		InitAddress:       []string{net.JoinHostPort(podIP, "6379")},
		Username:          string(secret.Data["username"]),
		Password:          string(secret.Data["password"]),
		ForceSingleClient: true,
		DisableCache:      true,
	})
}

// ask sends one command to the server of a pod and returns its text.
func (e *env) ask(cluster, podIP string, args ...string) string {
	e.t.Helper()
	c := e.server(cluster, podIP)
	text, err := c.Do(context.Background(), c.B().Arbitrary(args...).Build()).ToString()
	e.must(err)
	return text
}

// says sends a command to the server of a pod and returns an error if it does not
// answer, or not with all of the texts. Servers come and go here.
func (e *env) says(cluster string, pod corev1.Pod, command []string, texts ...string) error {
	c, err := e.connect(cluster, pod.Status.PodIP)
	if err != nil {
		return err
	}
	defer c.Close()
	answer, err := c.Do(e.ctx(), c.B().Arbitrary(command...).Build()).ToString()
	if err != nil {
		return err
	}
	for _, text := range texts {
		if !strings.Contains(answer, text) {
			return fmt.Errorf("%s does not say %q:\n%s", pod.Name, text, answer)
		}
	}
	return nil
}

// checkTruth asks every server whether what the status says is so: Ready means
// that all slots are served, that every replica is in sync, and that all
// servers know exactly each other.
func (e *env) checkTruth(c *v1alpha1.ValkeyCluster) {
	e.t.Helper()
	servers, err := e.Ask(e.ctx(), c.Name)
	e.must(err)
	if err := servers.Whole(int(c.Spec.Shards), int(c.Spec.Replicas)); err != nil {
		e.t.Errorf("Ready, but %v", err)
	}
}
