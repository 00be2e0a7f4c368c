// Command manifests turns what controller-gen writes into what is installed:
//
//	manifests crds RAW OUT     finish the definitions of RAW into OUT
//	manifests install IMAGE    print one manifest that installs the operator
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/valkey-operator/valkey-operator/internal/crds"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "manifests:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "crds":
		return finishAll(args[1], args[2])
	case len(args) == 2 && args[0] == "install":
		return install(args[1])
	}
	return fmt.Errorf("usage: manifests crds RAW OUT | manifests install IMAGE")
}

func finishAll(raw, out string) error {
	files, err := filepath.Glob(filepath.Join(raw, "*.yaml"))
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		finished, err := finish(text)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := os.WriteFile(filepath.Join(out, filepath.Base(file)), finished, 0o644); err != nil { //nolint:gosec // a file of the repository
			return err
		}
	}
	return nil
}

// finish strips the descriptions of embedded core types and stamps the hash of
// the schema. kubectl apply keeps a copy of each object in one annotation,
// which may have 262144 bytes: with the documentation of PodTemplateSpec in it
// the definition of ValkeyNode does not fit.
func finish(text []byte) ([]byte, error) {
	crd := map[string]any{}
	if err := yaml.Unmarshal(text, &crd); err != nil {
		return nil, err
	}
	strip(crd, false)
	hash, err := hashOf(crd)
	if err != nil {
		return nil, err
	}
	if err := unstructured.SetNestedField(crd, hash, "metadata", "annotations", crds.AnnotationSchema); err != nil {
		return nil, err
	}
	return yaml.Marshal(crd)
}

func hashOf(content map[string]any) (string, error) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, crd); err != nil {
		return "", err
	}
	return crds.Hash(crd)
}

// embedded are the fields whose types are Kubernetes' own.
var embedded = []string{"podTemplate", "resources"}

// strip removes descriptions below embedded fields, but not theirs: that one
// is ours.
func strip(node any, inside bool) {
	switch node := node.(type) {
	case []any:
		for _, item := range node {
			strip(item, inside)
		}
	case map[string]any:
		if _, text := node["description"].(string); text && inside {
			delete(node, "description")
		}
		for name, child := range node {
			if field, ok := child.(map[string]any); ok && !inside && slices.Contains(embedded, name) && field["type"] == "object" {
				own := field["description"]
				strip(field, true)
				field["description"] = own
				continue
			}
			strip(child, inside)
		}
	}
}

// install prints all manifests in the order in which they are to be applied.
func install(image string) error {
	var parts [][]byte
	for _, pattern := range []string{"config/namespace.yaml", "config/crd/*.yaml", "config/rbac/*.yaml", "config/policy/*.yaml", "config/manager/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			return err
		}
		if len(files) == 0 {
			return fmt.Errorf("no file %s; run this from the top of the repository", pattern)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			parts = append(parts, bytes.TrimSpace(bytes.TrimPrefix(text, []byte("---\n"))))
		}
	}
	all := string(bytes.Join(parts, []byte("\n---\n")))
	if strings.Count(all, "image: OPERATOR_IMAGE") != 1 {
		return fmt.Errorf("config/manager has no single place for the operator's image")
	}
	fmt.Println(strings.Replace(all, "image: OPERATOR_IMAGE", "image: "+image, 1))
	return nil
}
