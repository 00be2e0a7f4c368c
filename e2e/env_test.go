package e2e

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/internal/podtest"
)

// patience is how long anything may take on a busy machine.
const patience = 5 * time.Minute

// env is a cluster with the operator in it, and a namespace for one test.
type env struct {
	podtest.Namespace
	t *testing.T
}

// newEnv returns a namespace of the test's own, in which only pods of the
// restricted Pod Security level are admitted. It goes with the test.
func newEnv(t *testing.T) *env {
	t.Helper()
	e := &env{Namespace: podtest.Namespace{Kube: newKube(t), Name: namespaceName(t)}, t: t}
	e.makeNamespace()
	return e
}

// newOpenEnv is newEnv for manifests that say nothing of security.
func newOpenEnv(t *testing.T) *env {
	t.Helper()
	e := newEnv(t)
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"privileged"}}}`))
	e.must(e.Patch(e.ctx(), e.Object(), patch))
	return e
}

func newKube(t *testing.T) podtest.Kube {
	t.Helper()
	if os.Getenv(clientcmd.RecommendedConfigPathEnvVar) == "" {
		if os.Getenv("E2E_REQUIRED") != "" {
			t.Fatal("KUBECONFIG is not set")
		}
		t.Skip("NOT TESTED on real pods: KUBECONFIG is not set; `make test-pods` starts a cluster and sets it")
	}
	k, err := podtest.Connect("valkey-operator-e2e")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func namespaceName(t *testing.T) string {
	name := strings.ToLower(strings.NewReplacer("/", "-", "_", "-", "×", "x", ".", "-").Replace(t.Name()))
	return fmt.Sprintf("%.40s-%s", name, rand.String(4))
}

func (e *env) makeNamespace() {
	e.t.Helper()
	e.must(e.Make(e.ctx()))
	e.t.Cleanup(func() {
		if e.t.Failed() {
			e.t.Log(e.Describe(context.Background()))
		}
		if os.Getenv("E2E_KEEP") != "" && e.t.Failed() {
			return
		}
		if err := e.Delete(context.Background(), e.Object()); client.IgnoreNotFound(err) != nil {
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
	e.must(podtest.Until(e.ctx(), patience, 100*time.Millisecond, what, check))
}
