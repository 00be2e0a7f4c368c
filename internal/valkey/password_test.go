package valkey

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
)

// Whatever anybody does to print something that holds a password or a key,
// the secret is not in it.
func TestSecretsDoNotShow(t *testing.T) {
	const secret = "hunter2"
	target := Target{
		Addr:        netip.MustParseAddrPort("10.0.0.1:6379"),
		Credentials: Credentials{Username: "op", Password: NewPassword(secret), Generation: "3"},
		TLS:         &TLS{ServerName: "a", Certificate: &tls.Certificate{Certificate: [][]byte{[]byte(secret)}}},
	}
	type foreign struct{ inner Target } // unexported: its methods are not called
	type visible struct{ Inner Credentials }
	failed := &NetError{Op: "dial", Addr: target.Addr, Kind: ErrClosed, Err: errors.New("x")}
	for _, value := range []any{
		target, &target, target.Credentials, &target.Credentials, target.Credentials.Password, &target.Credentials.Password,
		target.TLS, *target.TLS, []Target{target}, map[string]Target{"a": target}, foreign{target}, &foreign{target},
		visible{target.Credentials}, failed, Cmd("AUTH", "op", secret), []Command{Cmd("AUTH", "op", secret)},
		struct{ C Command }{Cmd("AUTH", "op", secret)}, keyOf(target),
	} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%c", "%e"} {
			refuseSecret(t, secret, fmt.Sprintf("%T with %s", value, verb), fmt.Sprintf(verb, value))
		}
		encoded, err := json.Marshal(value)
		if err != nil {
			t.Errorf("%T to JSON: %v", value, err)
		}
		refuseSecret(t, secret, fmt.Sprintf("%T as JSON", value), string(encoded))
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("m", "k", value)
		slog.New(slog.NewJSONHandler(&log, nil)).Info("m", "k", value)
		refuseSecret(t, secret, fmt.Sprintf("%T in a log", value), log.String())
	}
}

// refuseSecret also looks for the secret in the hexadecimal and decimal forms
// that fmt writes bytes in.
func refuseSecret(t *testing.T, secret, what, text string) {
	t.Helper()
	var decimal []string
	for _, b := range []byte(secret) {
		decimal = append(decimal, fmt.Sprint(b))
	}
	for _, form := range []string{secret, fmt.Sprintf("%x", secret), fmt.Sprintf("%X", secret), strings.Join(decimal, " "), "aHVudGVyMg"} {
		if strings.Contains(text, form) {
			t.Errorf("%s shows the secret: %s", what, text)
		}
	}
}

func TestPasswordIsStillThere(t *testing.T) {
	p := NewPassword("hunter2")
	if p.Reveal() != "hunter2" || p.IsEmpty() || !p.Equal(NewPassword("hunter2")) || p.Equal(NewPassword("other")) {
		t.Error("the password is not what it was made of")
	}
	var none Password
	if none.Reveal() != "" || !none.IsEmpty() || !none.Equal(NewPassword("")) {
		t.Error("the zero Password is not empty")
	}
	if fmt.Sprint(p) != redacted || fmt.Sprint(none) != redacted {
		t.Error("an empty password must print as any other")
	}
}

func TestTargetSaysWhereAndWho(t *testing.T) {
	addr := netip.MustParseAddrPort("[2001:db8::1]:6379")
	for want, target := range map[string]Target{
		"valkey://[2001:db8::1]:6379":     {Addr: addr},
		"valkeys://op@[2001:db8::1]:6379": {Addr: addr, TLS: &TLS{}, Credentials: Credentials{Username: "op"}},
	} {
		if got := fmt.Sprint(target); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
