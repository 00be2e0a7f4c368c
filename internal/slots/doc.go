// Package slots is set algebra on the 16384 hash slots of a Valkey cluster.
//
// It knows slot numbers, ranges of them, how a key maps to one, and nothing
// else: no nodes, no wire protocol, no Kubernetes. Everything is pure, and a
// [Set] is a value that never changes.
package slots
