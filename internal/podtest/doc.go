// Package podtest is what the tests and the measurements on real pods share: it
// reaches a Kubernetes cluster in which the operator is installed, asks the
// servers of a ValkeyCluster themselves how they are, writes to them as an
// application would, and does to them what users, machines and accidents do.
//
// It judges nothing by a plan of the operator, and by its status only where it
// says so.
package podtest
