package podsim

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"

	"k8s.io/client-go/rest"
)

// Pods is the process that stands in for pods, seen from the test.
type Pods struct {
	mu  sync.Mutex
	in  *json.Encoder
	out *json.Decoder
}

// Start starts the process for all namespaces of an API server. It ends with
// the test.
func Start(t testing.TB, to *rest.Config) *Pods {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), childMark+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_, _ = io.Copy(io.Discard, out)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the stand-in for pods: %v", err)
		}
	})
	p := &Pods{in: json.NewEncoder(in), out: json.NewDecoder(out)}
	if err := p.in.Encode(connection{Host: to.Host, CA: to.CAData, Cert: to.CertData, Key: to.KeyData}); err != nil {
		t.Fatal(err)
	}
	return p
}

// Counts returns what the servers have seen.
func (p *Pods) Counts(t testing.TB) Counts {
	t.Helper()
	return p.ask(t, request{})
}

// Strike has the fault happen to a cluster, "namespace/name".
func (p *Pods) Strike(t testing.TB, cluster string, f Fault) {
	t.Helper()
	p.ask(t, request{Cluster: cluster, Fault: f})
}

func (p *Pods) ask(t testing.TB, r request) Counts {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	var counts Counts
	if err := p.in.Encode(r); err != nil {
		t.Fatalf("asking the stand-in for pods: %v", err)
	}
	if err := p.out.Decode(&counts); err != nil {
		t.Fatalf("the stand-in for pods does not answer: %v", err)
	}
	return counts
}
