package crds

import (
	"context"
	"fmt"
	"io/fs"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// AnnotationSchema, on a definition, is its [Hash] when it was installed.
const AnnotationSchema = "valkey.io/schema"

// Read returns the definitions in the YAML files of a directory.
func Read(files fs.FS, pattern string) ([]apiextensionsv1.CustomResourceDefinition, error) {
	names, err := fs.Glob(files, pattern)
	if err != nil {
		return nil, err
	}
	var found []apiextensionsv1.CustomResourceDefinition
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		crd := apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(text, &crd); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		found = append(found, crd)
	}
	return found, nil
}

// Check returns an error, in words for whoever installs the operator, if the
// API server does not serve one of the wanted definitions as it is.
func Check(ctx context.Context, live client.Reader, wanted []apiextensionsv1.CustomResourceDefinition) error {
	for _, want := range wanted {
		served := &apiextensionsv1.CustomResourceDefinition{}
		err := live.Get(ctx, client.ObjectKey{Name: want.Name}, served)
		if apierrors.IsNotFound(err) {
			return fmt.Errorf("CustomResourceDefinition %s is not there; %s", want.Name, remedy)
		}
		if err != nil {
			return fmt.Errorf("reading CustomResourceDefinition %s: %w", want.Name, err)
		}
		if err := compare(&want, served); err != nil {
			return err
		}
	}
	return nil
}

const remedy = "apply the install.yaml of this version of the operator"

// compare trusts the annotation for whose definition it was, and the hash for
// whether it still is: others may write to a definition without touching our
// annotation.
func compare(want, served *apiextensionsv1.CustomResourceDefinition) error {
	hash, err := Hash(served)
	if err != nil {
		return err
	}
	wanted, installed := want.Annotations[AnnotationSchema], served.Annotations[AnnotationSchema]
	switch {
	case installed == "":
		return fmt.Errorf("CustomResourceDefinition %s was not installed by this operator but by another project that uses the same API group; "+
			"the two cannot run in one Kubernetes cluster; remove the other one, keeping its resources if you want to switch, and %s", want.Name, remedy)
	case installed != wanted:
		return fmt.Errorf("CustomResourceDefinition %s is of another version of this operator (schema %s, this one needs %s), "+
			"so that fields could be dropped without a word; %s", want.Name, installed, wanted, remedy)
	case hash != wanted:
		return fmt.Errorf("CustomResourceDefinition %s was changed after it was installed, perhaps by another project that uses the same API group "+
			"(schema %s, this operator needs %s); %s", want.Name, hash, wanted, remedy)
	}
	return nil
}
