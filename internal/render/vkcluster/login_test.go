package vkcluster

import (
	"strings"
	"testing"

	"github.com/valkey-operator/valkey-operator/internal/valkeytest"
)

func TestBareClientIsLoggedIn(t *testing.T) {
	t.Parallel()
	eachImage(t, func(t *testing.T, img image) {
		p := passwords(t)
		pod := newPod(t, img, valkeytest.Start(t, img.Binary, 1, closed(p))[0], p)
		for _, tc := range []struct {
			name string
			env  []string
			args []string
			says string
		}{
			{"by default", nil, nil, "default"},
			{"as a system user", []string{"VALKEY_LOGIN=_pod"}, nil, "NOPERM"},
			{"with a password of the caller", []string{"REDISCLI_AUTH=wrong"}, nil, "WRONGPASS"},
			{"with a user of the caller", nil, []string{"--user", "_operator", "-a", p.of(userOperator), "--no-auth-warning"}, "_operator"},
		} {
			t.Run(tc.name, func(t *testing.T) {
				command := append([]string{"env", "valkey-cli", "-h", pod.server.Addr().Addr().String()}, tc.args...)
				said, _ := pod.run(tc.env, append(command, "ACL", "WHOAMI")...)
				if !strings.Contains(said, tc.says) {
					t.Errorf("says %q, want %s", said, tc.says)
				}
			})
		}
	})
}

func TestClientUsesTheRotatedPassword(t *testing.T) {
	eachImage(t, func(t *testing.T, img image) {
		p := passwords(t)
		pod := newPod(t, img, valkeytest.Start(t, img.Binary, 1, closed(p))[0], p)
		if said := pod.cli("PING"); said != "PONG" {
			t.Fatalf("before: %q", said)
		}
		if said := pod.cli("ACL", "SETUSER", "default", "resetpass", ">a new one, with $pace"); said != "OK" {
			t.Fatalf("rotating: %q", said)
		}
		if said := pod.cli("PING"); !strings.Contains(said, "NOAUTH") {
			t.Fatalf("with the old password: %q", said)
		}
		pod.write("secrets/default", "a new one, with $pace\n")
		if said := pod.cli("PING"); said != "PONG" {
			t.Errorf("after: %q", said)
		}
	})
}

// The script must not find itself, wherever it is in the search path.
func TestImageWithoutClient(t *testing.T) {
	img := newImage(t, latest, "dash")
	p := passwords(t)
	pod := newPod(t, img, valkeytest.Start(t, img.Binary, 1, closed(p))[0], p)
	scripts := pod.dir + "/scripts/bin"
	said, ok := pod.run([]string{"PATH=" + scripts + ":/usr/bin:/bin:" + scripts}, "env", "valkey-cli", "PING")
	if ok || !strings.Contains(said, "not found") {
		t.Errorf("%t, saying %q", ok, said)
	}
}
