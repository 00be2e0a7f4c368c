// Package e2e tests the operator on real pods: it runs against a Kubernetes
// cluster in which the operator is installed as a user would install it.
// `make test-pods` starts one.
package e2e
