package vknode

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

func TestPodTemplateAddsOnlyItsOwn(t *testing.T) {
	for name, c := range map[string]struct {
		node *v1alpha1.ValkeyNode
		want string
	}{
		"ephemeral": {
			node: node(),
			want: `
metadata:
  labels:
    app.kubernetes.io/managed-by: valkey-operator
    valkey.io/node: cache-0-0
spec:
  containers:
  - command: [/bin/sh, /etc/valkey/start.sh]
    image: valkey/valkey:9.1
    name: server
    resources: {}
    terminationMessagePolicy: FallbackToLogsOnError
    volumeMounts:
    - {mountPath: /data, name: data}
    - {mountPath: /etc/valkey, name: config, readOnly: true}
  volumes:
  - {emptyDir: {}, name: data}
  - name: config
    projected:
      sources:
      - configMap: {name: valkey-cache-0-0}
`,
		},
		"everything": {
			node: node(persistent, func(n *v1alpha1.ValkeyNode) {
				n.Spec.ACLSecretName = "internal-cache-acl"
				p := &n.Spec.PodTemplate
				p.Labels = map[string]string{v1alpha1.LabelNode: "another", "team": "blue"}
				p.Annotations = map[string]string{v1alpha1.AnnotationRollIf: "uid/primary", v1alpha1.AnnotationInputsHash: "1234"}
				p.Spec.Containers = []corev1.Container{
					{Name: "metrics-exporter", Image: "exporter"},
					{Name: "server", Image: "x", Command: []string{"/own"}, VolumeMounts: []corev1.VolumeMount{{Name: "tmp", MountPath: "/tmp"}}},
				}
				p.Spec.Volumes = []corev1.Volume{{Name: "tmp"}}
			}),
			want: `
metadata:
  annotations: {valkey.io/inputs-hash: "1234"}
  labels:
    app.kubernetes.io/managed-by: valkey-operator
    team: blue
    valkey.io/node: cache-0-0
spec:
  containers:
  - {image: exporter, name: metrics-exporter, resources: {}}
  - command: [/own]
    image: x
    name: server
    resources: {}
    volumeMounts:
    - {mountPath: /tmp, name: tmp}
    - {mountPath: /data, name: data}
    - {mountPath: /etc/valkey, name: config, readOnly: true}
  volumes:
  - name: tmp
  - name: data
    persistentVolumeClaim: {claimName: valkey-cache-0-0-data}
  - name: config
    projected:
      sources:
      - configMap: {name: valkey-cache-0-0}
      - secret:
          items: [{key: users.acl, path: users.acl}]
          name: internal-cache-acl
`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := c.node.DeepCopy()
			template, err := PodTemplate(c.node)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, c.node); diff != "" {
				t.Errorf("the node was changed: %s", diff)
			}
			sameYAML(t, c.want, template)
		})
	}
}

func sameYAML(t *testing.T, want string, got any) {
	t.Helper()
	text, err := yaml.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	if err := yaml.Unmarshal([]byte(want), &a); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Error(diff)
	}
}

func TestPodTemplateThatCannotBeUsed(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*corev1.PodSpec)
		want   string
	}{
		"no server": {
			change: func(p *corev1.PodSpec) { p.Containers = []corev1.Container{{Name: "a"}, {Name: "b"}} },
			want:   "name one of them server or valkey",
		},
		"no container": {
			change: func(p *corev1.PodSpec) { p.Containers = nil },
			want:   "podTemplate has no container",
		},
		"volume of our name": {
			change: func(p *corev1.PodSpec) { p.Volumes = []corev1.Volume{{Name: "data"}} },
			want:   "volume name data belongs to the operator",
		},
		"mount at our place": {
			change: func(p *corev1.PodSpec) {
				p.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "x", MountPath: "/data/"}}
			},
			want: "mounts volume x at /data",
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := node()
			c.change(&n.Spec.PodTemplate.Spec)
			if _, err := PodTemplate(n); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

func TestServerContainer(t *testing.T) {
	for want, names := range map[string][]string{
		"server": {"valkey", "server"},
		"valkey": {"sidecar", "valkey"},
		"only":   {"only"},
	} {
		var containers []corev1.Container
		for _, name := range names {
			containers = append(containers, corev1.Container{Name: name})
		}
		if got, err := ServerContainer(containers); err != nil || got != want {
			t.Errorf("of %v: %q, %v", names, got, err)
		}
	}
}

func TestTemplateHash(t *testing.T) {
	base := TemplateHash(node())
	for name, c := range map[string]struct {
		change func(*v1alpha1.ValkeyNode)
		same   bool
	}{
		"image":       {func(n *v1alpha1.ValkeyNode) { n.Spec.PodTemplate.Spec.Containers[0].Image = "y" }, false},
		"label":       {func(n *v1alpha1.ValkeyNode) { n.Spec.PodTemplate.Labels = map[string]string{"a": "b"} }, false},
		"annotation":  {func(n *v1alpha1.ValkeyNode) { n.Spec.PodTemplate.Annotations = map[string]string{"a": "b"} }, false},
		"persistence": {persistent, false},
		"guard": {func(n *v1alpha1.ValkeyNode) {
			n.Spec.PodTemplate.Annotations = map[string]string{v1alpha1.AnnotationRollIf: "x/primary"}
		}, true},
		"config":  {config(map[string]intstr.IntOrString{"maxmemory": intstr.FromInt32(1)}), true},
		"access":  {func(n *v1alpha1.ValkeyNode) { n.Spec.Access = &v1alpha1.NodeAccess{} }, true},
		"ACL":     {func(n *v1alpha1.ValkeyNode) { n.Spec.ACLSecretName = "x" }, true},
		"service": {func(n *v1alpha1.ValkeyNode) { n.Spec.ServiceName = "x" }, true},
	} {
		if got := TemplateHash(node(c.change)); (got == base) != c.same {
			t.Errorf("a change of %s: hash equal is %v, want %v", name, got == base, c.same)
		}
	}
	// A restart of every pod is what it costs to change how this is computed.
	if base != goldenHash {
		t.Errorf("the hash of the same node became %s: every pod would be restarted", base)
	}
	large := node(persistent)
	large.Spec.Persistence.Size.Add(large.Spec.Persistence.Size)
	if TemplateHash(large) != TemplateHash(node(persistent)) {
		t.Error("the size of the claim is part of the hash")
	}
}

const goldenHash = "57eba7522da4d736"
