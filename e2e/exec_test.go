package e2e

import (
	"fmt"
	"os/exec"
	"sync"
	"testing"
)

func errorf(format string, args ...any) error { return fmt.Errorf(format, args...) }

// exec runs a shell command in a container and returns what it prints.
func (e *env) exec(pod, container, command string) string {
	e.t.Helper()
	return kubectl(e.t, "-n", e.namespace, "exec", pod, "-c", container, "--", "sh", "-c", command)
}

// killServers kills the servers in pods with SIGKILL, at the same time. The
// container ends with its server, and with the container the command, so its own
// result says nothing.
func (e *env) killServers(pods ...string) {
	const script = "for p in /proc/[0-9]*; do read -r name <$p/comm; [ \"$name\" != valkey-server ] || kill -9 ${p#/proc/}; done"
	var kills sync.WaitGroup
	for _, pod := range pods {
		kills.Go(func() {
			_ = exec.Command("kubectl", "-n", e.namespace, "exec", pod, "-c", "server", "--", "sh", "-c", script).Run()
		})
	}
	kills.Wait()
	for _, pod := range pods {
		e.eventually("the container of "+pod+" has ended", func() error {
			out := kubectl(e.t, "-n", e.namespace, "get", "pod", pod, "-o", "jsonpath={.status.containerStatuses[?(@.name==\"server\")].restartCount}")
			if out == "" || out == "0" {
				return errorf("restarted %q times", out)
			}
			return nil
		})
	}
}

func kubectl(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("kubectl", args...).Output()
	if err != nil {
		t.Fatalf("kubectl %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// manifest is a ValkeyCluster; more is added to its spec.
func manifest(name string, shards, replicas int, more string) string {
	return fmt.Sprintf(`
apiVersion: valkey.io/v1alpha1
kind: ValkeyCluster
metadata: {name: %s}
spec:
  shards: %d
  replicas: %d
%s`, name, shards, replicas, more)
}
