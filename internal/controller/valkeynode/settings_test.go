package valkeynode

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/render/vknode"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/valkeytest"
	"github.com/valkey-operator/valkey-operator/internal/watch"
)

// configured is a node with a running server, and what the ConfigMap says.
type configured struct {
	*Reconciler
	seen *seen
}

func newConfigured(dialer valkey.Dialer, ip string) *configured {
	n := &v1alpha1.ValkeyNode{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a"}}
	n.Spec.PodTemplate.Spec.Containers = []corev1.Container{{Name: "server"}}
	p := &corev1.Pod{Spec: n.Spec.PodTemplate.Spec}
	p.UID, p.Status.PodIP = "pod-1", ip
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "server", State: runningState}}
	return &configured{
		Reconciler: New(nil, nil, dialer, nil, nil),
		seen:       &seen{node: n, pod: p, server: &watch.Observation{Reachable: true, RunID: "run-1"}},
	}
}

// wants sets the node's config and returns what comes of it. The ConfigMap is
// written as the controller would.
func (c *configured) wants(pairs map[string]string) settings {
	c.seen.node.Spec.Config = map[string]intstr.IntOrString{}
	for name, value := range pairs {
		c.seen.node.Spec.Config[name] = intstr.FromString(value)
	}
	set := c.settle(context.Background(), c.seen)
	object := vknode.ConfigMap(c.seen.node, set.file, set.unread, vknode.Record{})
	c.seen.configMap = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Annotations: object.Annotations}, Data: object.Data}
	return set
}

// lines returns those lines of the file that are about the directives.
func lines(set settings, names ...string) string {
	var found []string
	for _, name := range names {
		if l, ok := set.file[name]; ok {
			found = append(found, l)
		}
	}
	return strings.Join(found, "; ")
}

func TestFirstFileAsksNobody(t *testing.T) {
	net := newNetwork()
	c := newConfigured(net, "10.0.0.1")
	set := c.wants(map[string]string{"maxmemory": "100mb", "maxmemroy": "1"})
	if lines(set, "maxmemory", "maxmemroy") != "maxmemory 100mb; maxmemroy 1" || len(set.unread.Names) > 0 {
		t.Errorf("%+v", set)
	}
	if sent := net.sets(); len(sent) > 0 {
		t.Errorf("sent %v", sent)
	}
}

// The fake server answers as real ones do (TestSettingsOnRealServers).
func TestChangesOfTheConfig(t *testing.T) {
	for _, test := range changes {
		t.Run(test.name, func(t *testing.T) {
			net := newNetwork()
			c := newConfigured(net, "10.0.0.1")
			c.wants(test.before)
			checkChange(t, test, c.wants(test.after))
			before := len(net.sets())
			checkChange(t, test, c.wants(test.after))
			if again := net.sets()[before:]; len(again) > 0 {
				t.Errorf("the next pass sent %v", again)
			}
		})
	}
}

type change struct {
	name          string
	before, after map[string]string
	lines         string
	rejected      map[string]string
	unread        []string
}

var changes = []change{
	{
		name: "live", after: map[string]string{"maxmemory": "100mb", "save": "900 1 300 10"},
		lines: `maxmemory 100mb; save "900 1 300 10"`,
	},
	{
		name: "refused value", before: map[string]string{"maxmemory": "100mb"}, after: map[string]string{"maxmemory": "abc", "maxclients": "500"},
		lines: "maxmemory 100mb; maxclients 500", rejected: map[string]string{"maxmemory": "argument must be a memory value"},
	},
	{
		name: "unknown directive", after: map[string]string{"maxmemroy": "1gb", "maxclients": "500"},
		lines: "maxclients 500", rejected: map[string]string{"maxmemroy": "Unknown option or number of arguments for CONFIG SET - 'maxmemroy'"},
	},
	{
		name: "read at start only", after: map[string]string{"tcp-backlog": "128"},
		lines: "tcp-backlog 128", unread: []string{"tcp-backlog"},
	},
	{
		name: "read at start only, and the same", after: map[string]string{"tcp-backlog": "511"},
		lines: "tcp-backlog 511",
	},
	{
		name: "file only", after: map[string]string{"include": "/etc/valkey-secrets/*.conf"},
		lines: "include /etc/valkey-secrets/*.conf", unread: []string{"include"},
	},
	{
		name: "taken out", before: map[string]string{"maxmemory": "100mb"}, after: map[string]string{},
		unread: []string{"maxmemory"},
	},
}

func checkChange(t *testing.T, test change, set settings) {
	t.Helper()
	if set.why != nil {
		t.Fatal(set.why)
	}
	if got := lines(set, "tcp-backlog", "include", "maxmemory", "save", "maxclients", "maxmemroy"); got != test.lines {
		t.Errorf("file %q, want %q", got, test.lines)
	}
	if diff := cmp.Diff(test.unread, set.unread.Names); diff != "" {
		t.Errorf("unread: %s", diff)
	}
	if diff := cmp.Diff(test.rejected, set.rejected); diff != "" && len(set.rejected)+len(test.rejected) > 0 {
		t.Errorf("rejected: %s", diff)
	}
}

func TestSettingsOnRealServers(t *testing.T) {
	valkeytest.Each(t, func(t *testing.T, bin valkeytest.Binary) {
		for _, test := range changes {
			t.Run(test.name, func(t *testing.T) {
				server := valkeytest.Start(t, bin, 1, valkeytest.Options{})[0]
				c := newConfigured(valkey.TCP{}, server.Target().Addr.Addr().String())
				c.wants(test.before)
				// The server was started without our file.
				if err := valkey.ConfigSet(t.Context(), server.Conn(t), test.before); err != nil {
					t.Fatal(err)
				}
				checkChange(t, test, c.wants(test.after))
				checkChange(t, test, c.wants(test.after))
			})
		}
	})
}

func TestRestartReadsWhatWasUnread(t *testing.T) {
	net := newNetwork()
	c := newConfigured(net, "10.0.0.1")
	c.wants(nil)
	if set := c.wants(map[string]string{"tcp-backlog": "128"}); len(set.unread.Names) != 1 {
		t.Fatalf("%+v", set)
	}
	// The container restarts before the pod sees the new file: still unread.
	c.seen.server.RunID = "run-2"
	if set := c.wants(map[string]string{"tcp-backlog": "128"}); len(set.unread.Names) != 1 || set.unread.Run != "run-2" {
		t.Errorf("after a start with the old file: %+v", set.unread)
	}
	c.seen.server.RunID = "run-3"
	net.at("10.0.0.1", func(s *server) { s.config["tcp-backlog"] = "128" })
	if set := c.wants(map[string]string{"tcp-backlog": "128"}); len(set.unread.Names) != 0 {
		t.Errorf("after a start with the new file: %+v", set.unread)
	}
}

// Some servers make something else of a value: in cluster mode, 8.0 has one
// database whatever the file says. A new pod has read the file all the same.
func TestNewPodHasReadTheFile(t *testing.T) {
	c := newConfigured(newNetwork(), "10.0.0.1")
	c.wants(nil)
	c.wants(map[string]string{"tcp-backlog": "128"})
	c.seen.pod.UID, c.seen.server.RunID = "pod-2", "run-2"
	if set := c.wants(map[string]string{"tcp-backlog": "128"}); len(set.unread.Names) != 0 {
		t.Errorf("%+v", set.unread)
	}
}

func TestTakenBackBeforeTheRestart(t *testing.T) {
	c := newConfigured(newNetwork(), "10.0.0.1")
	c.wants(map[string]string{"tcp-backlog": "511"})
	if set := c.wants(map[string]string{"tcp-backlog": "128"}); len(set.unread.Names) != 1 {
		t.Fatalf("%+v", set)
	}
	if set := c.wants(map[string]string{"tcp-backlog": "511"}); len(set.unread.Names) != 0 || lines(set, "tcp-backlog") != "tcp-backlog 511" {
		t.Errorf("%+v", set)
	}
}

// What a server cannot be asked about waits, so that no file gets a line with
// which the next start fails.
func TestChangeWaitsForTheServer(t *testing.T) {
	c := newConfigured(newNetwork(), "10.0.0.1")
	c.wants(nil)
	c.seen.server.Reachable = false
	set := c.wants(map[string]string{"maxmemory": "abc"})
	if lines(set, "maxmemory") != "" || len(set.held) != 1 {
		t.Errorf("%+v", set)
	}
}

// But a server that does not even run is not waited for: the file may be why.
func TestChangeReachesTheFileOfAServerThatDoesNotRun(t *testing.T) {
	c := newConfigured(newNetwork(), "10.0.0.1")
	c.wants(map[string]string{"maxmemroy": "1gb"})
	c.seen.pod.Status.ContainerStatuses[0].State = waiting("CrashLoopBackOff", "")
	c.seen.server = nil
	set := c.wants(map[string]string{"maxmemory": "1gb"})
	if lines(set, "maxmemroy", "maxmemory") != "maxmemory 1gb" || len(set.held) != 0 {
		t.Errorf("%+v", set)
	}
	// Once it runs it is asked whether it has that.
	c.seen.pod.Status.ContainerStatuses[0].State = runningState
	c.seen.server = &watch.Observation{Reachable: true, RunID: "run-1"}
	if set := c.wants(map[string]string{"maxmemory": "1gb"}); len(set.unread.Names) != 0 {
		t.Errorf("%+v", set)
	}
}

func TestRefusedLineLeavesTheFile(t *testing.T) {
	c := newConfigured(newNetwork(), "10.0.0.1")
	c.wants(nil)
	c.seen.pod.Status.ContainerStatuses[0].State = waiting("CrashLoopBackOff", "")
	c.wants(map[string]string{"maxmemory": "abc"}) // perhaps the kubelet was behind
	// The process that runs now read the file from before that change.
	c.seen.pod.Status.ContainerStatuses[0].State = runningState
	set := c.wants(map[string]string{"maxmemory": "abc"})
	if lines(set, "maxmemory") != "" || set.rejected["maxmemory"] == "" {
		t.Errorf("%+v", set)
	}
}

func TestInvalidDirectiveKeepsItsLine(t *testing.T) {
	c := newConfigured(newNetwork(), "10.0.0.1")
	c.wants(map[string]string{"maxmemory": "1gb"})
	set := c.wants(map[string]string{"maxmemory": "1gb\nrequirepass x", "maxclients": "500"})
	if set.invalid == nil || lines(set, "maxmemory", "maxclients") != "maxmemory 1gb; maxclients 500" || len(set.unread.Names) > 0 {
		t.Errorf("%+v", set)
	}
}
