package vkcluster

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

var everybody = append([]string{userDefault}, systemUsers...)

func TestGeneratedPasswords(t *testing.T) {
	p, err := Passwords{}.Complete(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, user := range everybody {
		password := p.of(user)
		if len(password) != 32 || strings.Trim(password, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
			t.Errorf("%s has the password %q", user, password)
		}
		if slices.Contains(all, password) {
			t.Errorf("%s has the password of another", user)
		}
		all = append(all, password)
	}
}

func TestWithoutRandomnessThereIsNoPassword(t *testing.T) {
	broken := errors.New("broken")
	p, err := Passwords{}.Complete(iotest.ErrReader(broken))
	if !errors.Is(err, broken) || p.of(userDefault) != "" {
		t.Errorf("error %v, password %q", err, p.of(userDefault))
	}
}

// What was written to the Secrets is read from them, so that nothing changes
// on the next pass.
func TestPasswordsAreKept(t *testing.T) {
	c, before := persistent(), passwords(t)
	after := ReadPasswords(SystemPasswords(c, before).Data, Auth(c, before).Data)
	after, err := after.Complete(iotest.ErrReader(errors.New("one was missing")))
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range everybody {
		if before.of(user) != after.of(user) {
			t.Errorf("%s got another password", user)
		}
	}
}

func TestOnlyMissingPasswordsAreGenerated(t *testing.T) {
	p := ReadPasswords(map[string][]byte{userPod: []byte("mine\n"), userOperator: nil}, nil)
	p, err := p.Complete(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.of(userPod); got != "mine" {
		t.Errorf("the password that was there became %q", got)
	}
	if p.of(userOperator) == "" || p.of(userDefault) == "" {
		t.Error("an empty password was kept")
	}
}

func TestPasswordsAreNotPrinted(t *testing.T) {
	p := passwords(t)
	nested := struct {
		Exported Passwords
		hidden   Passwords
	}{p, p}
	var logged bytes.Buffer
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("x", "passwords", p, "nested", nested)
	encoded, err := json.Marshal(nested)
	if err != nil {
		t.Fatal(err)
	}
	prints := []string{logged.String(), string(encoded)}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		prints = append(prints, fmt.Sprintf(verb, p), fmt.Sprintf(verb, &p), fmt.Sprintf(verb, nested))
	}
	for _, text := range prints {
		for _, user := range everybody {
			if strings.Contains(text, p.of(user)) || strings.Contains(text, fmt.Sprintf("%x", p.of(user))) {
				t.Errorf("the password of %s is in %q", user, text)
			}
		}
	}
}
