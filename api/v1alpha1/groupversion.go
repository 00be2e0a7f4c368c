// Package v1alpha1 is the API of the operator: the kinds ValkeyCluster, which
// users write, and ValkeyNode, which only parents such as ValkeyCluster write.
// It holds types, their validation, and the names of conditions and reasons;
// it holds no logic.
//
// +kubebuilder:object:generate=true
// +kubebuilder:ac:generate=true
// +kubebuilder:ac:output:package="applyconfiguration"
// +groupName=valkey.io
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is valkey.io/v1alpha1.
var GroupVersion = schema.GroupVersion{Group: "valkey.io", Version: "v1alpha1"}

// SchemeGroupVersion is GroupVersion under the name that generated code uses.
var SchemeGroupVersion = GroupVersion

// AddToScheme registers the kinds of this package.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &ValkeyCluster{}, &ValkeyClusterList{}, &ValkeyNode{}, &ValkeyNodeList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
