package spec

import "k8s.io/apimachinery/pkg/util/intstr"

// defaultConfig returns the directives whose defaults differ from the
// server's own.
func defaultConfig() map[string]intstr.IntOrString {
	return map[string]intstr.IntOrString{
		"cluster-node-timeout": intstr.FromInt32(int32(defaultNodeTimeout.Milliseconds())), //nolint:gosec // a constant
		// What is left keeps serving when the slots of one shard are not
		// served.
		"cluster-require-full-coverage": intstr.FromString("no"),
		// A replica stays with the shard that it was made for. The operator
		// restores redundancy; moving replicas would work against it.
		"cluster-allow-replica-migration": intstr.FromString("no"),
		// Nothing is gained by waiting for a second replica, and the server's
		// own 5 s delay every first synchronisation.
		"repl-diskless-sync-delay": intstr.FromInt32(0),
	}
}
