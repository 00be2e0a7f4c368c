package valkey

import (
	"context"
	"crypto/ecdsa"
	"crypto/tls"
	"encoding/json"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"
)

// securing serves through TLS.
func securing(config *tls.Config, serve func(net.Conn)) func(net.Conn) {
	return func(c net.Conn) { serve(tls.Server(c, config)) }
}

func TestTLS(t *testing.T) {
	ours, theirs := NewAuthority(t), NewAuthority(t)
	loopback, soon := net.IPv4(127, 0, 0, 1), time.Now().Add(time.Hour)
	good := ours.Issue("cluster.example.org", loopback, soon)
	client := ours.Issue("client", loopback, soon)
	server := func(cert *tls.Certificate) *tls.Config { return &tls.Config{Certificates: []tls.Certificate{*cert}} }
	mutual := server(good)
	mutual.ClientAuth, mutual.ClientCAs = tls.RequireAndVerifyClientCert, ours.Roots()
	old := server(good)
	old.MinVersion, old.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	pong := answering(ok)

	for _, test := range []struct {
		name   string
		serve  func(net.Conn)
		client *TLS
		want   error
	}{
		{"by IP", securing(server(good), pong), &TLS{Roots: ours.Roots()}, nil},
		{"by name", securing(server(good), pong), &TLS{Roots: ours.Roots(), ServerName: "cluster.example.org"}, nil},
		{"wrong name", securing(server(good), pong), &TLS{Roots: ours.Roots(), ServerName: "other.example.org"}, ErrTLS},
		{"unknown authority", securing(server(theirs.Issue("cluster.example.org", loopback, soon)), pong), &TLS{Roots: ours.Roots()}, ErrTLS},
		{"expired", securing(server(ours.Issue("cluster.example.org", loopback, time.Now().Add(-time.Minute))), pong), &TLS{Roots: ours.Roots()}, ErrTLS},
		{"outdated protocol", securing(old, pong), &TLS{Roots: ours.Roots()}, ErrTLS},
		{"with our certificate", securing(mutual, pong), &TLS{Roots: ours.Roots(), Certificate: client}, nil},
		{"without our certificate", securing(mutual, pong), &TLS{Roots: ours.Roots()}, ErrTLS},
		{"certificate they do not know", securing(mutual, pong), &TLS{Roots: ours.Roots(), Certificate: theirs.Issue("client", loopback, soon)}, ErrTLS},
		{"server in plain text", saying("-ERR unknown command\r\n"), &TLS{Roots: ours.Roots()}, ErrTLS},
		{"silent", silent, &TLS{Roots: ours.Roots()}, ErrTimeout},
		{"closing", hangUp, &TLS{Roots: ours.Roots()}, ErrClosed},
	} {
		t.Run(test.name, func(t *testing.T) {
			target := Target{Addr: listen(t, test.serve), TLS: test.client}
			limit := 10 * time.Second
			if test.want == ErrTimeout {
				limit = 200 * time.Millisecond
			}
			c, err := TCP{DialLimit: limit}.dial(context.Background(), target)
			if test.want != nil {
				wantKind(t, err, test.want)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			for range 3 { // session tickets must not be taken for unasked replies
				if err := c.Do(context.Background(), Cmd("A"))[0].Err(); err != nil || !c.Alive() {
					t.Errorf("%v, alive %v", err, c.Alive())
				}
			}
		})
	}
}

// There is no way from TLS to plain text.
func TestTLSNeverFallsBack(t *testing.T) {
	sent := make(chan []string, 10)
	addr := listen(t, answering(func(args []string) string { sent <- args; return "+OK\r\n" }))
	_, err := TCP{DialLimit: time.Second}.Dial(context.Background(), Target{
		Addr: addr, TLS: &TLS{}, Credentials: Credentials{Username: "op", Password: NewPassword("hunter2")},
	})
	if err == nil || len(sent) > 0 {
		t.Errorf("%v; a command came through in plain text: %v", err, len(sent) > 0)
	}
}

func TestTLSHold(t *testing.T) {
	ours := NewAuthority(t)
	config := &tls.Config{Certificates: []tls.Certificate{*ours.Issue("a", net.IPv4(127, 0, 0, 1), time.Now().Add(time.Hour))}}
	now := make(chan struct{})
	target := Target{Addr: listen(t, securing(config, after(1, func(c net.Conn) { <-now; hangUp(c) }))), TLS: &TLS{Roots: ours.Roots()}}
	held, err := TCP{DialLimit: patience}.Hold(context.Background(), target)
	if err != nil {
		t.Fatal(err)
	}
	if err := held.Wait(context.Background(), 20*time.Millisecond); err != nil {
		t.Fatalf("silence is taken for a loss: %v", err)
	}
	close(now)
	wantKind(t, held.Wait(context.Background(), patience), ErrClosed)
}

func TestTLSPrivateKeysDoNotShow(t *testing.T) {
	cert := NewAuthority(t).Issue("a", net.IPv4(127, 0, 0, 1), time.Now())
	secret, err := cert.PrivateKey.(*ecdsa.PrivateKey).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(Target{TLS: &TLS{Certificate: cert}})
	if err != nil || strings.Contains(string(text), new(big.Int).SetBytes(secret).String()[:20]) {
		t.Errorf("%v: %s", err, text)
	}
}
