package podtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// Namespace is one namespace of the Kubernetes cluster, and all of these
// methods' world.
type Namespace struct {
	Kube
	Name string
}

// Object returns the namespace itself.
func (n Namespace) Object() *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: n.Name}}
}

// Make creates the namespace, in which only pods of the restricted level of
// Pod Security are admitted.
func (n Namespace) Make(ctx context.Context) error {
	ns := n.Object()
	ns.Labels = map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}
	return n.Create(ctx, ns)
}

// Apply does what kubectl apply does with the text of a manifest, with strict
// validation, and returns the API server's refusal.
func (n Namespace) Apply(ctx context.Context, manifest string) error {
	objects, err := decode(manifest)
	if err != nil {
		return err
	}
	strict := client.WithFieldValidation(n.Client, metav1.FieldValidationStrict)
	for _, o := range objects {
		o.SetNamespace(n.Name)
		//nolint:staticcheck // a manifest of any kind has no typed apply configuration
		if err := strict.Patch(ctx, o, client.Apply, client.FieldOwner("kubectl"), client.ForceOwnership); err != nil {
			return err
		}
	}
	return nil
}

// decode reads the objects of a manifest.
func decode(manifest string) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewBufferString(manifest), 4096)
	for {
		o := &unstructured.Unstructured{}
		err := decoder.Decode(&o.Object)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		if len(o.Object) > 0 {
			objects = append(objects, o)
		}
	}
}

// Manifest returns a ValkeyCluster; more is added to its spec.
func Manifest(name string, shards, replicas int, more string) string {
	return fmt.Sprintf(`
apiVersion: valkey.io/v1alpha1
kind: ValkeyCluster
metadata: {name: %s}
spec:
  shards: %d
  replicas: %d
%s`, name, shards, replicas, more)
}

// Describe returns what a person would look at when something went wrong.
func (n Namespace) Describe(ctx context.Context) string {
	var text strings.Builder
	for _, args := range []string{
		"get nodes",
		"-n " + n.Name + " get valkeycluster,valkeynode,statefulset,deployment,pod,pvc -o wide",
		"-n " + n.Name + " get valkeycluster -o yaml",
		"-n " + n.Name + " get events --sort-by=.metadata.creationTimestamp",
		"-n " + n.Name + " describe pod",
		"-n " + OperatorNamespace + " get pods -o wide",
		"-n " + OperatorNamespace + " logs deployment/valkey-operator --tail=200",
	} {
		out, err := Kubectl(ctx, strings.Fields(args)...)
		fmt.Fprintf(&text, "kubectl %s\n%s", args, out)
		if err != nil {
			fmt.Fprintln(&text, err)
		}
	}
	text.WriteString(n.describeServers(ctx))
	return text.String()
}

// describeServers returns whom each server knows, in its own words.
func (n Namespace) describeServers(ctx context.Context) string {
	var text strings.Builder
	pods, err := Kubectl(ctx, "-n", n.Name, "get", "pods", "-l", v1alpha1.LabelNode, "-o", "name")
	if err != nil {
		fmt.Fprintln(&text, err)
	}
	for _, pod := range strings.Fields(pods) {
		args := []string{"-n", n.Name, "exec", pod, "--", "valkey-cli", "CLUSTER", "NODES"}
		out, err := Kubectl(ctx, args...)
		fmt.Fprintf(&text, "kubectl %s\n%s", strings.Join(args, " "), out)
		if err != nil {
			fmt.Fprintln(&text, err)
		}
	}
	return text.String()
}
