package vkcluster

import (
	"maps"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/spec"
)

// config returns the directives of every server of the cluster: what the user
// may choose, and over it what makes the server a member of the cluster.
//
// Nothing is announced: members learn each other's addresses from where their
// packets come from, which is the pod's own address.
func config(c spec.Cluster) map[string]intstr.IntOrString {
	directives := maps.Clone(c.Config)
	maps.Copy(directives, map[string]intstr.IntOrString{
		"cluster-enabled": intstr.FromString("yes"),
		"port":            intstr.FromInt32(v1alpha1.PortClient),
		"primaryuser":     intstr.FromString(userReplication),
		"include":         intstr.FromString(secretsDir + "/" + replicationFile),
	})
	return directives
}
