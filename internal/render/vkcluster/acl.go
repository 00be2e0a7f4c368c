package vkcluster

import (
	"crypto/sha256"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/spec"
)

// secretTypeACL is the type of the Secrets that hold the cluster's users.
const secretTypeACL corev1.SecretType = "valkey.io/acl"

// ACL returns the Secret with the ACL file of every server. It holds hashes,
// and no password.
func ACL(c spec.Cluster, p Passwords) *coreac.SecretApplyConfiguration {
	return secret(c, c.ACLSecret(), secretTypeACL, map[string]string{v1alpha1.ACLFileKey: aclFile(p)})
}

// aclFile returns one line for each user.
func aclFile(p Passwords) string {
	var b strings.Builder
	for _, user := range append([]string{userDefault}, systemUsers...) {
		fmt.Fprintf(&b, "user %s on #%x %s\n", user, sha256.Sum256([]byte(p.of(user))), rules[user])
	}
	return b.String()
}

func secret(c spec.Cluster, name string, kind corev1.SecretType, content map[string]string) *coreac.SecretApplyConfiguration {
	data := make(map[string][]byte, len(content))
	for key, value := range content {
		data[key] = []byte(value)
	}
	return coreac.Secret(name, c.Namespace).
		WithLabels(c.Labels()).
		WithOwnerReferences(owner(c)).
		WithType(kind).
		WithData(data)
}
