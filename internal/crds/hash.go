package crds

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Hash returns 16 hexadecimal digits of what a definition makes of resources:
// its versions, their schemas, and whether status is apart. It is the same for
// a file and for what an API server serves once the file has been applied.
func Hash(crd *apiextensionsv1.CustomResourceDefinition) (string, error) {
	type version struct {
		Name         string
		Schema       *apiextensionsv1.CustomResourceValidation
		Subresources *apiextensionsv1.CustomResourceSubresources
	}
	var versions []version
	for _, v := range crd.Spec.Versions {
		versions = append(versions, version{v.Name, v.Schema, v.Subresources})
	}
	encoded, err := json.Marshal(versions)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:8]), nil
}
