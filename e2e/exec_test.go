package e2e

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/valkey-operator/valkey-operator/internal/podtest"
)

func errorf(format string, args ...any) error { return fmt.Errorf(format, args...) }

// exec runs a shell command in a container and returns what it prints.
func (e *env) exec(pod, container, command string) string {
	e.t.Helper()
	return kubectl(e.t, "-n", e.Name, "exec", pod, "-c", container, "--", "sh", "-c", command)
}

// killServers kills the servers in pods with SIGKILL, at the same time, and
// returns when their containers have ended.
func (e *env) killServers(pods ...corev1.Pod) {
	e.t.Helper()
	killed := make(chan error, len(pods))
	for _, pod := range pods {
		go func() { killed <- e.KillServer(e.ctx(), pod) }()
	}
	for range pods {
		e.must(<-killed)
	}
}

func kubectl(t *testing.T, args ...string) string {
	t.Helper()
	out, err := podtest.Kubectl(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// manifest is a ValkeyCluster; more is added to its spec.
func manifest(name string, shards, replicas int, more string) string {
	return podtest.Manifest(name, shards, replicas, more)
}
