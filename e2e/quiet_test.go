package e2e

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// quietFor is how long a converged cluster is watched. `make soak` watches
// longer.
func quietFor(t *testing.T) time.Duration {
	text := os.Getenv("E2E_QUIET")
	if text == "" {
		return time.Minute
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A converged cluster costs no API write but the lease, no event, and no line
// in the operator's log, also while clients write (A3).
func TestQuiet(t *testing.T) {
	audit := os.Getenv("E2E_AUDIT_LOG")
	if audit == "" {
		t.Skip("NOT TESTED that a converged cluster is quiet: E2E_AUDIT_LOG is not set to the API server's audit log; `make test-pods` sets it")
	}
	e := newEnv(t)
	e.mustApply(e.example("cluster-persistent.yaml"))
	e.awaitReady("my-cluster")
	time.Sleep(5 * time.Second) // the operator's own objects settle after it has told Ready
	versions := e.versions("my-cluster")

	e.eventually("no namespace of another test is ending", func() error {
		namespaces := &corev1.NamespaceList{}
		e.must(e.List(e.ctx(), namespaces))
		for _, n := range namespaces.Items {
			if n.DeletionTimestamp != nil {
				return errorf("%s is", n.Name)
			}
		}
		return nil
	})
	begin := time.Now()
	for time.Since(begin) < quietFor(t) {
		e.write("my-cluster", 1000)
		time.Sleep(time.Second)
	}
	for _, line := range operatorWrites(t, audit, begin) {
		t.Errorf("the operator wrote: %s", line)
	}
	events := &corev1.EventList{}
	e.must(e.List(e.ctx(), events, client.InNamespace(e.Name)))
	for _, event := range events.Items {
		if event.CreationTimestamp.After(begin) {
			t.Errorf("event %s on %s: %s", event.Reason, event.InvolvedObject.Name, event.Message)
		}
	}
	if log := kubectl(t, "-n", "valkey-operator-system", "logs", "deployment/valkey-operator", "--since-time="+begin.UTC().Format(time.RFC3339)); strings.TrimSpace(log) != "" {
		t.Errorf("the operator logged:\n%s", log)
	}
	for name, version := range e.versions("my-cluster") {
		if versions[name] != version {
			t.Errorf("%s went from resource version %s to %s", name, versions[name], version)
		}
	}
}

// versions returns the resource versions of a cluster and its nodes.
func (e *env) versions(cluster string) map[string]string {
	e.t.Helper()
	versions := map[string]string{"ValkeyCluster " + cluster: e.cluster(cluster).ResourceVersion}
	for _, n := range e.nodes(cluster) {
		versions["ValkeyNode "+n.Name] = n.ResourceVersion
	}
	return versions
}

// operatorWrites returns what the operator wrote since begin, but for its lease,
// according to the API server.
func operatorWrites(t *testing.T, audit string, begin time.Time) []string {
	t.Helper()
	f, err := os.Open(audit)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var writes []string
	seen := 0
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		var entry struct {
			Verb, UserAgent, RequestURI string
			RequestReceivedTimestamp    time.Time
			ObjectRef                   struct{ Resource string }
		}
		if json.Unmarshal(lines.Bytes(), &entry) != nil || entry.RequestReceivedTimestamp.Before(begin) || !strings.HasPrefix(entry.UserAgent, "valkey-operator/") {
			continue
		}
		seen++
		switch entry.Verb {
		case "get", "list", "watch":
			continue
		}
		if entry.ObjectRef.Resource != "leases" {
			writes = append(writes, entry.Verb+" "+entry.RequestURI)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Error("the audit log shows no request of the operator at all, not even for its lease")
	}
	return writes
}
