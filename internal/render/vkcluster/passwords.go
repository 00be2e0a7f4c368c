package vkcluster

import (
	"encoding/base64"
	"fmt"
	"io"
	"strings"
)

// Passwords are the passwords of a cluster's users. However they are printed,
// no password is shown.
type Passwords struct {
	// A function, because fmt can print nothing but its address, also where
	// Passwords is in an unexported field and Format is not called.
	lookup func(user string) string
}

func newPasswords(byUser map[string]string) Passwords {
	return Passwords{func(user string) string { return byUser[user] }}
}

// passwordBytes of random data go into a password: 192 bits, which come out as
// 32 characters without padding.
const passwordBytes = 24

// ReadPasswords reads the passwords that exist: from the data of the Secrets
// [spec.Cluster.SystemPasswordsSecret] and [spec.Cluster.AuthSecret], each nil
// if there is no such Secret. A line break at the end, which editors and echo
// like to leave behind, is not part of a password.
func ReadPasswords(system, auth map[string][]byte) Passwords {
	byUser := map[string]string{}
	for _, user := range systemUsers {
		byUser[user] = strings.TrimRight(string(system[user]), "\r\n")
	}
	byUser[userDefault] = strings.TrimRight(string(auth[authPassword]), "\r\n")
	return newPasswords(byUser)
}

// Complete returns p with a generated password for each user that has none.
// The only errors are those of random.
func (p Passwords) Complete(random io.Reader) (Passwords, error) {
	byUser := map[string]string{}
	for _, user := range append([]string{userDefault}, systemUsers...) {
		byUser[user] = p.of(user)
		if byUser[user] != "" {
			continue
		}
		generated, err := generate(random)
		if err != nil {
			return Passwords{}, err
		}
		byUser[user] = generated
	}
	return newPasswords(byUser), nil
}

func generate(random io.Reader) (string, error) {
	var raw [passwordBytes]byte
	if _, err := io.ReadFull(random, raw[:]); err != nil {
		return "", fmt.Errorf("generating a password: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(raw[:]), nil
}

// of returns the password of the user, or "".
func (p Passwords) of(user string) string {
	if p.lookup == nil {
		return ""
	}
	return p.lookup(user)
}

// Format prints nothing of the passwords, for every verb.
func (p Passwords) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[redacted]") }

// MarshalText writes nothing of the passwords.
func (p Passwords) MarshalText() ([]byte, error) { return []byte("[redacted]"), nil }
