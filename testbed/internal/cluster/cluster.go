// Package cluster runs real Kubernetes on this machine: a control plane and
// nodes as plain processes, each node in network, mount, process and host name
// namespaces of its own, all below one process that is the init of a process
// namespace, so that one kill ends everything.
//
// It knows Linux namespaces, cgroups and the flags of Kubernetes components. It
// does not know how binaries and images come about, nor anything of Valkey.
package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// maxNodes is bounded by the addresses 10.244.N.0/24 and by good sense.
const maxNodes = 50

// ErrNotUp is returned by what needs a running cluster.
var ErrNotUp = errors.New("the cluster is not up")

// A Spec is what a cluster is started with.
type Spec struct {
	Nodes    int
	BinDirs  []string // folders with the binaries of cluster and nodes
	CNIDir   string   // folder with the CNI plugins
	Runc     string
	PauseRef string   // image that holds a pod's namespaces
	Archives []string // images that every node imports when it starts
}

// A Cluster is a name and the folder of its state; it may be up or not.
type Cluster struct {
	Name string
	dir  string
}

// validName leaves room for "-n12" in network namespaces and for the paths of
// Unix sockets.
var validName = regexp.MustCompile(`^[a-z][a-z0-9]{0,19}$`)

// longestSocket is the longest path of a socket below the state folder, and
// socketLimit what the kernel allows.
const (
	longestSocket = "/node50/kubelet/pod-resources/kubelet.sock"
	socketLimit   = 107
)

// New returns the cluster of a name, whose state is kept below the cache.
func New(cacheDir, name string) (*Cluster, error) {
	if !validName.MatchString(name) {
		return nil, fmt.Errorf("cluster name %q: want up to 20 small letters and digits, a letter first", name)
	}
	dir := filepath.Join(cacheDir, "clusters", name)
	if len(dir)+len(longestSocket) > socketLimit {
		return nil, fmt.Errorf("%s is too long for the sockets below it; set VALKEY_TESTBED_CACHE to a shorter folder", dir)
	}
	return &Cluster{Name: name, dir: dir}, nil
}

// Kubeconfig returns the file for administrators. Its server address answers
// in the cluster's network namespace only; see [Cluster.Exec].
func (c *Cluster) Kubeconfig() string { return c.path("etc", "admin.kubeconfig") }

// AuditLog returns the file in which the API server notes every request, one
// JSON object a line.
func (c *Cluster) AuditLog() string { return c.path("log", "audit.log") }

// Logs returns the folder with a log for each component.
func (c *Cluster) Logs() string { return c.path("log") }

func (c *Cluster) path(elem ...string) string {
	return filepath.Join(append([]string{c.dir}, elem...)...)
}

func (c *Cluster) specFile() string { return c.path("cluster.json") }

func (c *Cluster) saveSpec(spec Spec) error {
	text, err := json.MarshalIndent(spec, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(c.specFile(), text, 0o644)
}

// spec returns what the cluster was started with.
func (c *Cluster) spec() (spec Spec, err error) {
	text, err := os.ReadFile(c.specFile())
	if err != nil {
		return spec, err
	}
	return spec, json.Unmarshal(text, &spec)
}

// up returns the spec of a running cluster, whose start was completed.
func (c *Cluster) up() (Spec, error) {
	if pid, err := holder(c.initLease()); err != nil || pid == 0 || !isFile(c.readyFile()) {
		return Spec{}, errors.Join(fmt.Errorf("%s: %w", c.Name, ErrNotUp), err)
	}
	return c.spec()
}

// readyFile is written when a start is completed.
func (c *Cluster) readyFile() string { return c.path("ready") }

func (c *Cluster) initLease() string { return c.path("init.lease") }

func (c *Cluster) nodeLease(node int) string { return c.path(nodeName(node), "lease") }

// searchPath is a PATH with the cluster's binaries before the machine's own.
func (s Spec) searchPath() string {
	return strings.Join(append(s.BinDirs, "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"), ":")
}
