// Package config holds the manifests that the operator is installed from. The
// operator carries the resource definitions itself, to compare them with those
// that the API server serves.
package config

import "embed"

// CRDs are the files of the CustomResourceDefinitions.
//
//go:embed crd/*.yaml
var CRDs embed.FS
