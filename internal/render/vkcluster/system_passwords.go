package vkcluster

import (
	"fmt"
	"strings"

	coreac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/valkey-operator/valkey-operator/internal/spec"
)

// replicationFile is the key of the fragment of valkey.conf that holds the
// password which a replica logs in with at its primary. The server includes it
// from the mounted Secret, so that the password is in no ConfigMap.
const replicationFile = "replication.conf"

// SystemPasswords returns the Secret with the passwords of the operator's own
// users, by user, and with the fragment for replication.
func SystemPasswords(c spec.Cluster, p Passwords) *coreac.SecretApplyConfiguration {
	content := map[string]string{
		replicationFile: replicationConfig(p),
	}
	for _, user := range systemUsers {
		content[user] = p.of(user)
	}
	return secret(c, c.SystemPasswordsSecret(), secretTypeACL, content)
}

func replicationConfig(p Passwords) string {
	return "primaryauth " + quote(p.of(userReplication)) + "\n"
}

// quote returns text as one argument of a line in valkey.conf. Bytes that could
// mean something there are written as \xHH.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(text) {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			fmt.Fprintf(&b, `\x%02x`, c)
			continue
		}
		b.WriteByte(c)
	}
	b.WriteByte('"')
	return b.String()
}
