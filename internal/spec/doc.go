// Package spec turns a resource, which leaves things out, into what it means:
// every default is filled in here and nowhere else, and every name and label
// that follows from the resource is made here.
//
// It is pure. It may know the API types; it must not know clients, the layout
// of the Kubernetes objects that are rendered from its values, or the state of
// anything that runs.
package spec
