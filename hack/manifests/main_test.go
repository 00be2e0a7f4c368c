package main

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/valkey-operator/valkey-operator/internal/crds"
)

const raw = `
metadata: {name: x}
spec:
  versions:
    - name: v1
      schema:
        openAPIV3Schema:
          properties:
            podTemplate:
              description: ours
              type: object
              properties:
                description: {type: string, description: theirs}
                containers:
                  type: array
                  description: theirs
                  items: {type: object, description: theirs}
            size: {type: string, description: ours too}
`

func TestFinish(t *testing.T) {
	out, err := finish([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	text := string(out)
	for says, want := range map[string]int{"theirs": 0, "ours": 2, crds.AnnotationSchema: 1} {
		if got := strings.Count(text, says); got != want {
			t.Errorf("%q %d times, want %d:\n%s", says, got, want, text)
		}
	}
	again, err := finish([]byte(raw))
	if err != nil || string(again) != text {
		t.Errorf("not the same twice: %v", err)
	}
	crd := map[string]any{}
	if err := yaml.Unmarshal(out, &crd); err != nil {
		t.Fatal(err)
	}
	// A field that is itself named description is kept.
	if !strings.Contains(strings.Join(strings.Fields(text), " "), "description: type: string") {
		t.Errorf("the field description is gone:\n%s", text)
	}
}

// A changed schema has another hash.
func TestHashFollowsSchema(t *testing.T) {
	a, errA := finish([]byte(raw))
	b, errB := finish([]byte(strings.Replace(raw, "size:", "length:", 1)))
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	if hash(t, a) == hash(t, b) {
		t.Error("two schemas with one hash")
	}
}

func hash(t *testing.T, text []byte) any {
	t.Helper()
	crd := map[string]any{}
	if err := yaml.Unmarshal(text, &crd); err != nil {
		t.Fatal(err)
	}
	return crd["metadata"].(map[string]any)["annotations"].(map[string]any)[crds.AnnotationSchema]
}
