package vkcluster

import (
	"net"
	"net/url"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/spec"
)

// secretTypeAuth is the type that the Service Binding specification gives to
// Secrets of this shape.
const secretTypeAuth corev1.SecretType = "servicebinding.io/valkey"

// Keys of the connection Secret, beside those that the Service Binding
// specification names: type, provider, host, port, username and uri.
const (
	authPassword = "password"
	authTLS      = "tls"
)

// Auth returns the connection Secret of an application: where the cluster is
// and how to log in as the user default.
func Auth(c spec.Cluster, p Passwords) *coreac.SecretApplyConfiguration {
	host := c.ClientService() + "." + c.Namespace + ".svc"
	port := strconv.Itoa(v1alpha1.PortClient)
	uri := url.URL{
		// The scheme that every client library understands, of Valkey and of
		// Redis alike.
		Scheme: "redis",
		User:   url.UserPassword(userDefault, p.of(userDefault)),
		Host:   net.JoinHostPort(host, port),
	}
	return secret(c, c.AuthSecret(), secretTypeAuth, map[string]string{
		"type":       "valkey",
		"provider":   spec.ManagedBy,
		"host":       host,
		"port":       port,
		"username":   userDefault,
		authPassword: p.of(userDefault),
		"uri":        uri.String(),
		authTLS:      "false",
	})
}
