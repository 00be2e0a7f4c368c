// Package topology decides what to do next to a Valkey cluster. [Next] is a
// pure function of what is wanted and what was observed; it returns the next
// safe batch of actions and says, for what cannot be done yet, why not.
//
// The package may know slots, node IDs, epochs, roles, offsets, pods and their
// identity as plain values. It must not know Kubernetes, the wire protocol, a
// clock, or a log. It remembers nothing: an operator that dies between two
// actions goes on from what it observes next.
//
// The names N1…N11 and A1…A6 in comments are the invariants of
// docs/design/safety.md.
package topology
