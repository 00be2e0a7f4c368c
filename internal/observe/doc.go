// Package observe reads what there is of a cluster, in Kubernetes and from the
// servers themselves, and returns it as plain values. It writes nothing and
// decides nothing; what could not be read is unknown, with the reason.
package observe
