package e2e

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/rand"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/config"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// patience is how long anything may take on a busy machine.
const patience = 5 * time.Minute

// env is a cluster with the operator in it, and a namespace for one test.
type env struct {
	client.Client
	t         *testing.T
	namespace string
}

// newEnv returns a namespace of the test's own, in which only pods of the
// restricted Pod Security level are admitted. It goes with the test.
func newEnv(t *testing.T) *env {
	t.Helper()
	e := &env{Client: newClient(t), t: t, namespace: namespaceName(t)}
	e.makeNamespace()
	return e
}

// newOpenEnv is newEnv for manifests that say nothing of security.
func newOpenEnv(t *testing.T) *env {
	t.Helper()
	e := newEnv(t)
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: e.namespace}}
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"privileged"}}}`))
	e.must(e.Patch(e.ctx(), ns, patch))
	return e
}

func newClient(t *testing.T) client.Client {
	t.Helper()
	if os.Getenv(clientcmd.RecommendedConfigPathEnvVar) == "" {
		if os.Getenv("E2E_REQUIRED") != "" {
			t.Fatal("KUBECONFIG is not set")
		}
		t.Skip("NOT TESTED on real pods: KUBECONFIG is not set; `make test-pods` starts a cluster and sets it")
	}
	cfg, err := config.GetConfig()
	if err != nil {
		t.Fatal(err)
	}
	cfg.QPS, cfg.Burst = -1, -1
	cfg.UserAgent = "valkey-operator-e2e"
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c, err := client.New(cfg, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func namespaceName(t *testing.T) string {
	name := strings.ToLower(strings.NewReplacer("/", "-", "_", "-", "×", "x", ".", "-").Replace(t.Name()))
	return fmt.Sprintf("%.40s-%s", name, rand.String(4))
}

func (e *env) makeNamespace() {
	e.t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name:   e.namespace,
		Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
	}}
	e.must(e.Client.Create(e.ctx(), ns))
	e.t.Cleanup(func() {
		if e.t.Failed() {
			e.dump()
		}
		if os.Getenv("E2E_KEEP") != "" && e.t.Failed() {
			return
		}
		if err := e.Client.Delete(context.Background(), ns); client.IgnoreNotFound(err) != nil {
			e.t.Error(err)
		}
	})
}

func (e *env) ctx() context.Context { return context.Background() }

func (e *env) must(err error) {
	e.t.Helper()
	if err != nil {
		e.t.Fatal(err)
	}
}

// eventually waits until check returns nil; the last error is the test's.
func (e *env) eventually(what string, check func() error) {
	e.t.Helper()
	var err error
	for begin := time.Now(); time.Since(begin) < patience; time.Sleep(100 * time.Millisecond) {
		if err = check(); err == nil {
			return
		}
	}
	e.t.Fatalf("%s: %v", what, err)
}
