package vknode

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// Directives returns what valkey.conf should say, by name of the directive:
// the node's config, and the few directives that belong to the node controller.
func Directives(n *v1alpha1.ValkeyNode) map[string]string {
	out := make(map[string]string, len(n.Spec.Config)+4)
	for name, value := range n.Spec.Config {
		out[name] = value.String()
	}
	// Without a login there is no password, and without a password a server in
	// protected mode answers nobody outside its pod.
	if _, chosen := out["protected-mode"]; !chosen && n.Spec.Access == nil {
		out["protected-mode"] = "no"
	}
	maps.Copy(out, forced(n))
	return out
}

// forced are the directives that config cannot set otherwise: what they name is
// mounted by the node controller.
func forced(n *v1alpha1.ValkeyNode) map[string]string {
	out := map[string]string{
		"dir":                 DataDir,
		"cluster-config-file": DataDir + "/nodes.conf",
	}
	if n.Spec.ACLSecretName != "" {
		out["aclfile"] = ConfigDir + "/" + v1alpha1.ACLFileKey
	}
	return out
}

// File is a valkey.conf, as one line for each directive.
type File map[string]string

// Render returns the file with these directives. The error names each
// directive that cannot be written down.
func Render(directives map[string]string) (File, error) {
	file := File{}
	var bad []string
	for _, name := range slices.Sorted(maps.Keys(directives)) {
		text, err := line(name, directives[name])
		if err != nil {
			bad = append(bad, err.Error())
			continue
		}
		file[name] = text
	}
	if bad != nil {
		return file, fmt.Errorf("config: %s", strings.Join(bad, "; "))
	}
	return file, nil
}

// ParseFile reads a file that [File.String] wrote.
func ParseFile(text string) File {
	file := File{}
	for l := range strings.SplitSeq(text, "\n") {
		if name, _, found := strings.Cut(l, " "); found && !strings.HasPrefix(l, "#") {
			file[name] = l
		}
	}
	return file
}

// String returns the text of the file, always in the same order. Included files
// come first, so that what is said here has the last word.
func (f File) String() string {
	var b strings.Builder
	b.WriteString("# Written by valkey-operator; changes made here are undone.\n")
	if include, ok := f["include"]; ok {
		b.WriteString(include + "\n")
	}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if name != "include" {
			b.WriteString(f[name] + "\n")
		}
	}
	return b.String()
}
