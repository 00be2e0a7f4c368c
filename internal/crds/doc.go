// Package crds makes sure that the API server serves the very definitions of
// ValkeyCluster and ValkeyNode that this operator was built with. With older
// ones the API server would drop fields that users rely on, such as those that
// ask for safety, without a word.
package crds
