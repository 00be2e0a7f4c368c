package observe

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"sort"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/spec"
	"github.com/valkey-operator/valkey-operator/internal/topology"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// Login is what the operator logs in to the servers of a cluster with. A zero
// Login means that it is not known yet.
type Login struct {
	Username string
	Password string
}

// Snapshot is everything that was seen of a cluster at one time.
type Snapshot struct {
	Observed topology.Observed
	// Nodes are the cluster's ValkeyNodes in order of their names.
	Nodes []v1alpha1.ValkeyNode
	// Targets are the servers that can be reached, by the name of their member.
	Targets map[topology.Name]valkey.Target
	// Stuck is true when a server does not answer for a reason that does not
	// pass within a moment, as the start of a server does. Whoever holds a
	// connection to it knows first when that is over.
	Stuck bool
}

// Node returns the ValkeyNode of that name, or nil.
func (s Snapshot) Node(name topology.Name) *v1alpha1.ValkeyNode {
	i, found := sort.Find(len(s.Nodes), func(i int) int { return cmp.Compare(string(name), s.Nodes[i].Name) })
	if !found {
		return nil
	}
	return &s.Nodes[i]
}

// Held tells what is known of the connection that is held to the server in a
// pod of a ValkeyNode.
type Held interface {
	// Closed reports whether the server's side closed it.
	Closed(namespace, node, pod string) bool
	// Silent reports whether the server did not answer in time when it was asked
	// last. Then no pass waits for it: it is asked all the time anyway, and once
	// it answers there is another pass.
	Silent(namespace, node, pod string) bool
}

// Cluster reads the objects of c from a cache and asks all its servers.
func Cluster(ctx context.Context, cache client.Reader, machines *Machines, dialer valkey.Dialer, held Held, c spec.Cluster, login Login) (Snapshot, error) {
	objects, err := read(ctx, cache, c)
	if err != nil {
		return Snapshot{}, err
	}
	snap := Snapshot{Nodes: objects.nodes, Targets: map[topology.Name]valkey.Target{}}
	for i := range objects.nodes {
		m := member(&objects.nodes[i], objects.pods)
		switch {
		case m.Pod == nil || !m.Pod.Addr.IsValid():
		case login.Password == "":
			m.Unknown = cmp.Or(m.Unknown, "the operator's password is not there yet")
		default:
			// Also while the machine's agent says that no server runs: it
			// takes its time to tell of one that has started.
			snap.Targets[m.Name] = target(m.Pod.Addr, login)
		}
		snap.Observed.Members = append(snap.Observed.Members, m)
	}
	snap.Observed.StrayClaims = objects.strayClaims(c)
	answers := snap.ask(ctx, dialer, held, c.Namespace)
	limited, cancel := context.WithTimeout(ctx, answerLimit) // an API server that hangs is no evidence
	defer cancel()
	for i := range snap.Observed.Members {
		m := (*seen)(&snap.Observed.Members[i])
		if a, asked := answers[m.Name]; asked {
			m.answered(a)
			m.Refused = errors.Is(a.Err, valkey.ErrRefused)
			snap.Stuck = snap.Stuck || a.Err != nil && !m.Refused
			m.Died = m.Refused && held.Closed(c.Namespace, string(m.Name), string(m.Pod.UID))
		}
		if m.Server == nil {
			m.Fenced = fence(limited, machines, topology.Member(*m), objects.pods[string(m.Name)], answers[m.Name].Err)
		}
	}
	return snap, nil
}

var errSilent = fmt.Errorf("not asked, because it is silent: %w", valkey.ErrTimeout)

// ask asks all servers but those that are silent.
func (s *Snapshot) ask(ctx context.Context, dialer valkey.Dialer, held Held, namespace string) map[topology.Name]Answer {
	asked := maps.Clone(s.Targets)
	for _, m := range s.Observed.Members {
		if m.Pod != nil && held.Silent(namespace, string(m.Name), string(m.Pod.UID)) {
			delete(asked, m.Name)
		}
	}
	answers := Servers(ctx, dialer, asked)
	for name := range s.Targets {
		if _, found := answers[name]; !found {
			answers[name] = Answer{Err: errSilent}
		}
	}
	return answers
}

func target(addr netip.AddrPort, login Login) valkey.Target {
	sum := sha256.Sum256([]byte(login.Password))
	return valkey.Target{Addr: addr, Credentials: valkey.Credentials{
		Username:   login.Username,
		Password:   valkey.NewPassword(login.Password),
		Generation: hex.EncodeToString(sum[:4]),
	}}
}

// objects are the Kubernetes objects of one cluster.
type objects struct {
	nodes  []v1alpha1.ValkeyNode
	pods   map[string][]corev1.Pod // by name of the ValkeyNode
	claims []corev1.PersistentVolumeClaim
}

func read(ctx context.Context, cache client.Reader, c spec.Cluster) (objects, error) {
	// Nobody changes what is read here, so that it need not be copied.
	ofCluster := []client.ListOption{client.InNamespace(c.Namespace), client.MatchingLabels{v1alpha1.LabelCluster: c.Name}, client.UnsafeDisableDeepCopy}
	var (
		nodes  v1alpha1.ValkeyNodeList
		pods   corev1.PodList
		claims corev1.PersistentVolumeClaimList
	)
	for _, list := range []client.ObjectList{&nodes, &pods, &claims} {
		if err := cache.List(ctx, list, ofCluster...); err != nil {
			return objects{}, err
		}
	}
	o := objects{pods: map[string][]corev1.Pod{}, claims: claims.Items}
	for _, n := range nodes.Items {
		if owner := metav1.GetControllerOf(&n); owner != nil && owner.UID == c.UID {
			o.nodes = append(o.nodes, n)
		}
	}
	slices.SortFunc(o.nodes, func(a, b v1alpha1.ValkeyNode) int { return cmp.Compare(a.Name, b.Name) })
	for _, p := range pods.Items {
		node := p.Labels[v1alpha1.LabelNode]
		o.pods[node] = append(o.pods[node], p)
	}
	return o, nil
}

// strayClaims returns the names of the claims that belong to the cluster and
// to none of its nodes, wanted or existing.
func (o objects) strayClaims(c spec.Cluster) []string {
	used := map[string]bool{}
	for _, n := range c.Nodes() {
		used[n.Name] = true
	}
	for _, n := range o.nodes {
		used[n.Name] = true
	}
	var stray []string
	for _, claim := range o.claims {
		if !used[claim.Labels[v1alpha1.LabelNode]] {
			stray = append(stray, claim.Name)
		}
	}
	slices.Sort(stray)
	return stray
}

type seen topology.Member

// answered notes what the server said. Why it cannot run says more than why it
// does not answer.
func (m *seen) answered(a Answer) {
	m.Server = a.Server
	if a.Err == nil {
		m.Unknown = ""
		return
	}
	m.Unknown = cmp.Or(m.Unknown, Clause(a.Err))
}

// Nodes reads the ValkeyNodes of c, without asking their servers.
func Nodes(ctx context.Context, cache client.Reader, c spec.Cluster) ([]v1alpha1.ValkeyNode, error) {
	o, err := read(ctx, cache, c)
	return o.nodes, err
}
