// Package vkcluster renders what a ValkeyCluster consists of in Kubernetes:
// the objects that belong to it as a whole, and its ValkeyNodes.
//
// It is pure. It may know the resolved cluster and the shape of the objects;
// it must not know clients, what is running, or when something may be written.
// Every function returns an apply configuration that says the whole of what
// one field owner wants of the object.
package vkcluster
