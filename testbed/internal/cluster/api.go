package cluster

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// An api is the little that an init asks its API server. It works in the
// cluster's network namespace only.
type api struct{ client http.Client }

func newAPI(c *Cluster) (*api, error) {
	authority, err := os.ReadFile(c.path("pki", "ca.crt"))
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	admin, err := tls.LoadX509KeyPair(c.path("pki", "admin.crt"), c.path("pki", "admin.key"))
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{admin}}}
	return &api{http.Client{Transport: transport, Timeout: 5 * time.Second}}, nil
}

// read gets a path and decodes the answer, unless into is nil.
func (a *api) read(path string, into any) error {
	response, err := a.client.Get(apiServerURL + path)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s", path, response.Status)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(body, into)
}

func (a *api) waitReady() error {
	return waitFor("the API server", func() error { return a.read("/readyz", nil) })
}

// waitServiceAccount waits for what pods of the default namespace need.
func (a *api) waitServiceAccount() error {
	return waitFor("the default service account", func() error {
		return a.read("/api/v1/namespaces/default/serviceaccounts/default", nil)
	})
}

func (a *api) waitNodes(want int) error {
	return waitFor("the nodes", func() error {
		var list nodeList
		if err := a.read("/api/v1/nodes", &list); err != nil {
			return err
		}
		if got := list.ready(); got != want {
			return fmt.Errorf("%d of %d are ready", got, want)
		}
		return nil
	})
}

func waitFor(what string, f func() error) error {
	if err := retry(startLimit, f); err != nil {
		return errors.Join(fmt.Errorf("%s did not get ready within %s", what, startLimit), err)
	}
	return nil
}

// nodeList is what matters of a Kubernetes NodeList.
type nodeList struct {
	Items []struct {
		Status struct {
			Conditions []struct{ Type, Status string }
		}
	}
}

func (l nodeList) ready() (n int) {
	for _, node := range l.Items {
		for _, c := range node.Status.Conditions {
			if c.Type == "Ready" && c.Status == "True" {
				n++
			}
		}
	}
	return n
}
