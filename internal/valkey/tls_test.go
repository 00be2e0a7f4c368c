package valkey

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"
)

// authority signs certificates for one test.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &authority{t: t, cert: cert, key: key}
}

func (a *authority) roots() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// issue makes a certificate for a DNS name and IP.
func (a *authority) issue(name string, ip net.IP, notAfter time.Time) *tls.Certificate {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, IPAddresses: []net.IP{ip},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: notAfter,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// securing serves through TLS.
func securing(config *tls.Config, serve func(net.Conn)) func(net.Conn) {
	return func(c net.Conn) { serve(tls.Server(c, config)) }
}

func TestTLS(t *testing.T) {
	ours, theirs := newAuthority(t), newAuthority(t)
	loopback, soon := net.IPv4(127, 0, 0, 1), time.Now().Add(time.Hour)
	good := ours.issue("cluster.example.org", loopback, soon)
	client := ours.issue("client", loopback, soon)
	server := func(cert *tls.Certificate) *tls.Config { return &tls.Config{Certificates: []tls.Certificate{*cert}} }
	mutual := server(good)
	mutual.ClientAuth, mutual.ClientCAs = tls.RequireAndVerifyClientCert, ours.roots()
	old := server(good)
	old.MaxVersion = tls.VersionTLS11
	pong := answering(ok)

	for _, test := range []struct {
		name   string
		serve  func(net.Conn)
		client *TLS
		want   error
	}{
		{"by IP", securing(server(good), pong), &TLS{Roots: ours.roots()}, nil},
		{"by name", securing(server(good), pong), &TLS{Roots: ours.roots(), ServerName: "cluster.example.org"}, nil},
		{"wrong name", securing(server(good), pong), &TLS{Roots: ours.roots(), ServerName: "other.example.org"}, ErrTLS},
		{"unknown authority", securing(server(theirs.issue("cluster.example.org", loopback, soon)), pong), &TLS{Roots: ours.roots()}, ErrTLS},
		{"expired", securing(server(ours.issue("cluster.example.org", loopback, time.Now().Add(-time.Minute))), pong), &TLS{Roots: ours.roots()}, ErrTLS},
		{"outdated protocol", securing(old, pong), &TLS{Roots: ours.roots()}, ErrTLS},
		{"with our certificate", securing(mutual, pong), &TLS{Roots: ours.roots(), Certificate: client}, nil},
		{"without our certificate", securing(mutual, pong), &TLS{Roots: ours.roots()}, ErrTLS},
		{"certificate they do not know", securing(mutual, pong), &TLS{Roots: ours.roots(), Certificate: theirs.issue("client", loopback, soon)}, ErrTLS},
		{"server in plain text", saying("-ERR unknown command\r\n"), &TLS{Roots: ours.roots()}, ErrTLS},
		{"silent", silent, &TLS{Roots: ours.roots()}, ErrTimeout},
		{"closing", hangUp, &TLS{Roots: ours.roots()}, ErrClosed},
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
	ours := newAuthority(t)
	config := &tls.Config{Certificates: []tls.Certificate{*ours.issue("a", net.IPv4(127, 0, 0, 1), time.Now().Add(time.Hour))}}
	now := make(chan struct{})
	target := Target{Addr: listen(t, securing(config, after(1, func(c net.Conn) { <-now; hangUp(c) }))), TLS: &TLS{Roots: ours.roots()}}
	link, err := TCP{DialLimit: patience}.Hold(context.Background(), target)
	if err != nil {
		t.Fatal(err)
	}
	close(now)
	wantKind(t, awaitLoss(t, link), ErrClosed)
}

func TestTLSPrivateKeysDoNotShow(t *testing.T) {
	cert := newAuthority(t).issue("a", net.IPv4(127, 0, 0, 1), time.Now())
	secret := cert.PrivateKey.(*ecdsa.PrivateKey).D.String()
	text, err := json.Marshal(Target{TLS: &TLS{Certificate: cert}})
	if err != nil || strings.Contains(string(text), secret[:20]) {
		t.Errorf("%v: %s", err, text)
	}
}
