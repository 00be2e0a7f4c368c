package cluster

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func credentials(t *testing.T) *Cluster {
	t.Helper()
	c := &Cluster{Name: "a", dir: t.TempDir()}
	for _, name := range []string{"pki", "etc"} {
		if err := os.Mkdir(c.path(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.makeCredentials(2); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *Cluster) authority(t *testing.T) *x509.CertPool {
	t.Helper()
	ca, err := os.ReadFile(c.path("pki", "ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca) {
		t.Fatal("ca.crt holds no certificate")
	}
	return pool
}

func TestCertificatesIdentifyAndServe(t *testing.T) {
	c := credentials(t)
	tests := []struct{ name, user, group, host string }{
		{"admin", "admin", "system:masters", ""},
		{"node2", "system:node:node2", "system:nodes", "172.30.0.2"},
		{"apiserver", "kube-apiserver", "", "10.96.0.1"},
		{"apiserver", "kube-apiserver", "", "kubernetes.default.svc.cluster.local"},
		{"scheduler", "system:kube-scheduler", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name+test.host, func(t *testing.T) {
			pair, err := tls.LoadX509KeyPair(c.path("pki", test.name+".crt"), c.path("pki", test.name+".key"))
			if err != nil {
				t.Fatal(err)
			}
			for _, usage := range []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth} {
				if _, err := pair.Leaf.Verify(x509.VerifyOptions{
					Roots: c.authority(t), DNSName: test.host, KeyUsages: []x509.ExtKeyUsage{usage},
				}); err != nil {
					t.Error(err)
				}
			}
			subject := pair.Leaf.Subject
			if subject.CommonName != test.user || strings.Join(subject.Organization, ",") != test.group {
				t.Errorf("user %q of %q, want %q of %q", subject.CommonName, subject.Organization, test.user, test.group)
			}
		})
	}
}

func TestClustersDoNotTrustEachOther(t *testing.T) {
	one, other := credentials(t), credentials(t)
	pair, err := tls.LoadX509KeyPair(one.path("pki", "admin.crt"), one.path("pki", "admin.key"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: other.authority(t), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}}); err == nil {
		t.Error("a certificate of one cluster is good in another")
	}
}

func TestKeysAreForTheOwnerOnly(t *testing.T) {
	c := credentials(t)
	keys, err := filepath.Glob(c.path("pki", "*.key"))
	if err != nil || len(keys) == 0 {
		t.Fatal(keys, err)
	}
	for _, path := range append(keys, c.Kubeconfig()) {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
	}
}
