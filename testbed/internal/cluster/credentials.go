package cluster

import (
	"crypto/x509/pkix"
	"os"
)

// An identity is a certificate of the cluster, and whether a kubeconfig is
// made of it.
type identity struct {
	name       string
	subject    pkix.Name
	hosts      []string
	kubeconfig bool
}

func identities(nodes int) []identity {
	user := func(name, commonName string, groups ...string) identity {
		return identity{name, pkix.Name{CommonName: commonName, Organization: groups}, nil, true}
	}
	list := []identity{
		{"apiserver", pkix.Name{CommonName: "kube-apiserver"}, []string{
			"kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc." + clusterDomain,
			"localhost", "127.0.0.1", controlPlaneAddress, apiServiceAddress,
		}, false},
		{"kubelet-client", pkix.Name{CommonName: "kube-apiserver-kubelet-client", Organization: []string{"system:masters"}}, nil, false},
		{"front-proxy-client", pkix.Name{CommonName: "front-proxy-client"}, nil, false},
		user("admin", "admin", "system:masters"),
		user("controller-manager", "system:kube-controller-manager"),
		user("scheduler", "system:kube-scheduler"),
		user("proxy", "system:kube-proxy"),
	}
	for node := 1; node <= nodes; node++ {
		kubelet := user(nodeName(node), "system:node:"+nodeName(node), "system:nodes")
		kubelet.hosts = []string{nodeName(node), nodeAddress(node)}
		list = append(list, kubelet)
	}
	return list
}

// makeCredentials writes all keys, certificates and kubeconfigs.
func (c *Cluster) makeCredentials(nodes int) error {
	ca, err := newAuthority(c.path("pki"))
	if err != nil {
		return err
	}
	for _, id := range identities(nodes) {
		if err := ca.sign(id.name, id.subject, id.hosts...); err != nil {
			return err
		}
		if !id.kubeconfig {
			continue
		}
		if err := c.writeKubeconfig(id.name); err != nil {
			return err
		}
	}
	return writeTokenKeys(c.path("pki"))
}

// writeKubeconfig makes a kubeconfig that carries its keys, so that it may be
// copied elsewhere.
func (c *Cluster) writeKubeconfig(user string) error {
	data := struct {
		Server, Cluster, User string
		CA, Cert, Key         []byte
	}{Server: apiServerURL, Cluster: c.Name, User: user}
	for _, f := range []struct {
		content *[]byte
		name    string
	}{{&data.CA, "ca.crt"}, {&data.Cert, user + ".crt"}, {&data.Key, user + ".key"}} {
		var err error
		if *f.content, err = os.ReadFile(c.path("pki", f.name)); err != nil {
			return err
		}
	}
	return writeConfig(c.path("etc", user+".kubeconfig"), "kubeconfig.yaml", data)
}
