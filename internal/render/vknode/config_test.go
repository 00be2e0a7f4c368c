package vknode

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

func config(pairs map[string]intstr.IntOrString) func(*v1alpha1.ValkeyNode) {
	return func(n *v1alpha1.ValkeyNode) { n.Spec.Config = pairs }
}

func TestDirectives(t *testing.T) {
	for name, c := range map[string]struct {
		node *v1alpha1.ValkeyNode
		want map[string]string
	}{
		"nothing asked for": {
			node: node(),
			want: map[string]string{"dir": "/data", "cluster-config-file": "/data/nodes.conf", "protected-mode": "no"},
		},
		"config is taken as it is": {
			node: node(config(map[string]intstr.IntOrString{"io-threads": intstr.FromInt32(4), "save": intstr.FromString("")})),
			want: map[string]string{"dir": "/data", "cluster-config-file": "/data/nodes.conf", "protected-mode": "no", "io-threads": "4", "save": ""},
		},
		"a choice about protected mode stands": {
			node: node(config(map[string]intstr.IntOrString{"protected-mode": intstr.FromString("yes")})),
			want: map[string]string{"dir": "/data", "cluster-config-file": "/data/nodes.conf", "protected-mode": "yes"},
		},
		"with a login protected mode is the server's business": {
			node: node(func(n *v1alpha1.ValkeyNode) { n.Spec.Access = &v1alpha1.NodeAccess{} }),
			want: map[string]string{"dir": "/data", "cluster-config-file": "/data/nodes.conf"},
		},
		"what is mounted is not up to config": {
			node: node(func(n *v1alpha1.ValkeyNode) { n.Spec.ACLSecretName = "acl" },
				config(map[string]intstr.IntOrString{"dir": intstr.FromString("/tmp"), "aclfile": intstr.FromString("/x"), "cluster-config-file": intstr.FromString("x")})),
			want: map[string]string{"dir": "/data", "cluster-config-file": "/data/nodes.conf", "protected-mode": "no", "aclfile": "/etc/valkey/users.acl"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Directives(c.node)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFileIsTheSameEachTimeAndReadsBack(t *testing.T) {
	file, err := Render(map[string]string{"save": "900 1", "include": "/etc/x.conf", "appendonly": "no", "maxmemory": "1gb"})
	if err != nil {
		t.Fatal(err)
	}
	want := "# Written by valkey-operator; changes made here are undone.\n" +
		"include /etc/x.conf\nappendonly no\nmaxmemory 1gb\nsave \"900 1\"\n"
	for range 20 {
		if got := file.String(); got != want {
			t.Fatalf("got\n%s", got)
		}
	}
	if diff := cmp.Diff(file, ParseFile(want)); diff != "" {
		t.Error(diff)
	}
}

func TestBadDirectivesAreNamedAndTheOthersStay(t *testing.T) {
	file, err := Render(map[string]string{"maxmemory": "1gb", "logfile": "a\nb", "save": "1\x00"})
	if err == nil || !strings.Contains(err.Error(), "logfile") || !strings.Contains(err.Error(), "save") {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff(File{"maxmemory": "maxmemory 1gb"}, file); diff != "" {
		t.Error(diff)
	}
}
