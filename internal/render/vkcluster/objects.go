package vkcluster

import (
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/valkey-operator/valkey-operator/internal/spec"
)

// Objects returns everything that belongs to the cluster as a whole and may be
// written at any time without restarting anything. What others refer to comes
// first.
func Objects(c spec.Cluster, p Passwords) []runtime.ApplyConfiguration {
	return []runtime.ApplyConfiguration{
		ServiceAccount(c),
		SystemPasswords(c, p),
		Auth(c, p),
		ACL(c, p),
		Scripts(c),
		HeadlessService(c),
		ClientService(c),
		ReadService(c),
		DisruptionBudget(c),
	}
}
