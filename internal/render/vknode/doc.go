// Package vknode renders the Kubernetes objects of one ValkeyNode: its claim,
// its ConfigMap with valkey.conf, and its workload.
//
// It is pure. It may know the API types and the shape of the objects; it must
// not know clients, what is running, or when something may be written. Every
// function returns an apply configuration: the whole of what the node
// controller wants of that object.
package vknode
