package binaries

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const gomod = `module example

require (
	github.com/containerd/containerd/v2 v2.4.2
	github.com/opencontainers/runc v1.5.3
	k8s.io/kubernetes v1.37.2
	k8s.io/api v0.37.2 // indirect
)

require github.com/containernetworking/plugins v1.10.0

replace k8s.io/api => k8s.io/api v0.99.0
`

func TestModuleVersion(t *testing.T) {
	for module, want := range map[string]string{
		"k8s.io/kubernetes":                      "v1.37.2",
		"k8s.io/api":                             "v0.37.2",
		"github.com/containernetworking/plugins": "v1.10.0",
		"k8s.io/kube":                            "",
		"example":                                "",
	} {
		if got := moduleVersion(gomod, module); got != want {
			t.Errorf("version of %s: %q, want %q", module, got, want)
		}
	}
}

func TestKubernetesVersionIsStampedWhole(t *testing.T) {
	const pkg = "-X k8s.io/component-base/version."
	got := kubernetesVersion("v1.37.2")
	for _, want := range []string{pkg + "gitVersion=v1.37.2", pkg + "gitMajor=1", pkg + "gitMinor=37"} {
		if !strings.Contains(got+" ", want+" ") {
			t.Errorf("%q is not in %q", want, got)
		}
	}
}

func sources(change func(fstest.MapFS)) fs.FS {
	m := fstest.MapFS{}
	for name, text := range map[string]string{
		"go.mod": gomod, "go.sum": "sums",
		"cmd/hyperkube/main.go": "package main", "cmd/clusterdns/main.go": "package main",
		"cmd/localprovisioner/main.go": "package main",
	} {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	change(m)
	return m
}

func set(t *testing.T, change func(fstest.MapFS)) *Set {
	t.Helper()
	s, err := NewSet("/cache", sources(change))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// changed returns the targets that have another folder in b than in a.
func changed(a, b *Set) (names []string) {
	for _, x := range a.builds {
		if b.Dir(x.name) != x.dir {
			names = append(names, x.name)
		}
	}
	return names
}

func TestChangesBuildOnlyWhatTheyConcern(t *testing.T) {
	write := func(name, text string) func(fstest.MapFS) {
		return func(m fstest.MapFS) { m[name] = &fstest.MapFile{Data: []byte(text)} }
	}
	base := set(t, func(fstest.MapFS) {})
	all := []string{"hyperkube", "clusterdns", "localprovisioner", "containerd", "containerd-shim", "cni", "runc"}
	tests := []struct {
		name   string
		change func(fstest.MapFS)
		want   []string
	}{
		{"nothing", func(fstest.MapFS) {}, nil},
		{"the provisioner", write("cmd/localprovisioner/grow.go", "package main"), []string{"localprovisioner"}},
		{"a test", write("cmd/localprovisioner/grow_test.go", "package main"), nil},
		{"this command", write("main.go", "package main"), nil},
		{"checksums", write("go.sum", "others"), all},
		{"a version", write("go.mod", strings.Replace(gomod, "v1.37.2", "v1.37.3", 1)), all},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := changed(base, set(t, test.change)); !slices.Equal(got, test.want) {
				t.Errorf("built again: %v, want %v", got, test.want)
			}
		})
	}
}

func TestAPIServerIsAPartOfTheSet(t *testing.T) {
	whole := set(t, func(fstest.MapFS) {})
	part := whole.APIServer()
	if got, want := part.Dirs(), []string{whole.Dir("hyperkube")}; !slices.Equal(got, want) {
		t.Errorf("folders %v, want %v", got, want)
	}
	if len(whole.Dirs()) != 7 {
		t.Errorf("the whole set shrank to %v", whole.Dirs())
	}
}

func TestMissingSourceIsAnError(t *testing.T) {
	_, err := NewSet("/cache", sources(func(m fstest.MapFS) { delete(m, "cmd/clusterdns/main.go") }))
	if err == nil {
		t.Error("no error without the sources of a target")
	}
}
