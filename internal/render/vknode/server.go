package vknode

import (
	"errors"

	corev1 "k8s.io/api/core/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// ErrNoServer says that a pod template has no container that is the server.
var ErrNoServer = errors.New("podTemplate has no container that runs the server: name one of them server or valkey")

// ServerContainer returns the name of the container that runs the server: the
// one named server, else the one named valkey, else the only one.
func ServerContainer(containers []corev1.Container) (string, error) {
	for _, name := range []string{v1alpha1.ServerContainer, v1alpha1.ServerContainerAlias} {
		for _, c := range containers {
			if c.Name == name {
				return name, nil
			}
		}
	}
	if len(containers) != 1 {
		return "", ErrNoServer
	}
	return containers[0].Name, nil
}
