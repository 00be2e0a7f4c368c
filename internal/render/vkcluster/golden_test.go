package vkcluster

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/spec"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// persistent is a cluster that uses every field of the resource.
func persistent() spec.Cluster {
	return spec.Resolve(&v1alpha1.ValkeyCluster{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:   "shop",
			Name:        "cart",
			UID:         "uid-of-cart",
			Annotations: map[string]string{v1alpha1.AnnotationRestartedAt: "2026-11-30"},
		},
		Spec: v1alpha1.ValkeyClusterSpec{
			Shards:   3,
			Replicas: 1,
			Image:    "valkey/valkey:8.1",
			Persistence: &v1alpha1.PersistenceSpec{
				Size:             resource.MustParse("10Gi"),
				StorageClassName: ptr.To("gp3"),
			},
			Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")},
			},
		},
	}, spec.Defaults{})
}

// ephemeral is the shortest cluster.
func ephemeral() spec.Cluster {
	return spec.Resolve(&v1alpha1.ValkeyCluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "cart", UID: "uid-of-cart"},
		Spec:       v1alpha1.ValkeyClusterSpec{Shards: 1, WorkloadType: v1alpha1.WorkloadDeployment},
	}, spec.Defaults{})
}

// passwords are different for each user and the same in each run.
func passwords(t *testing.T) Passwords {
	t.Helper()
	random := strings.NewReader("default's 192 random bit" + "exporter's 192 random bi" +
		"operator's 192 random bi" + "the pod's 192 random bit" + "replication's random bit")
	p, err := Passwords{}.Complete(random)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestObjects(t *testing.T) {
	golden(t, "objects.yaml", Objects(persistent(), passwords(t))...)
}

func TestNodeWithVolume(t *testing.T) {
	c := persistent()
	n := c.Nodes()[3]
	golden(t, "node_new.yaml", NewNode(c, n))
	golden(t, "node_standing.yaml", Node(c, n, nil))
	golden(t, "node_staged.yaml", NodeTemplate(c, n, RollIf("uid-of-pod", v1alpha1.RoleReplica)))
}

func TestNodeWithoutVolume(t *testing.T) {
	c := ephemeral()
	golden(t, "node_ephemeral.yaml", NewNode(c, c.Nodes()[0]))
}

// golden compares the objects with the file of that name in testdata.
func golden(t *testing.T, name string, objects ...runtime.ApplyConfiguration) {
	t.Helper()
	path := filepath.Join("testdata", name)
	var got bytes.Buffer
	for i, o := range objects {
		if i > 0 {
			got.WriteString("---\n")
		}
		got.Write(readable(t, o))
	}
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test -update writes it", err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (-want +got; go test -update accepts it):\n%s", path, diff)
	}
}

// readable returns the object as YAML, with what is in a Secret decoded and
// without the text of scripts.
func readable(t *testing.T, o runtime.ApplyConfiguration) []byte {
	t.Helper()
	content := decode[map[string]any](t, o)
	switch content["kind"] {
	case "Secret":
		text := map[string]string{}
		for key, value := range decode[corev1.Secret](t, o).Data {
			text[key] = string(value)
		}
		content["data"] = text
	case "ConfigMap":
		for key := range content["data"].(map[string]any) {
			content["data"].(map[string]any)[key] = "(a script)"
		}
	}
	out, err := yaml.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// decode returns the object as the API server would read it.
func decode[T any](t *testing.T, o runtime.ApplyConfiguration) T {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var out T
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
