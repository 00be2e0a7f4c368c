package cluster

// A program is a process of the cluster, found by its name on PATH.
type program struct {
	name string
	args []string
}

// store and API server come first; the others would fail and wait without them.
func (c *Cluster) apiServer() []program {
	return []program{
		{"etcd", []string{
			"--name=etcd",
			"--data-dir=" + c.path("etcd"),
			"--listen-client-urls=http://127.0.0.1:2379",
			"--advertise-client-urls=http://127.0.0.1:2379",
			"--listen-peer-urls=http://127.0.0.1:2380",
			"--initial-advertise-peer-urls=http://127.0.0.1:2380",
			"--initial-cluster=etcd=http://127.0.0.1:2380",
			"--unsafe-no-fsync", // nothing here outlives the machine
			"--log-level=warn",
		}},
		{"kube-apiserver", []string{
			"--etcd-servers=http://127.0.0.1:2379",
			"--secure-port=6443",
			"--bind-address=0.0.0.0",
			"--advertise-address=" + controlPlaneAddress,
			"--service-cluster-ip-range=" + serviceSubnet,
			"--endpoint-reconciler-type=lease",
			"--allow-privileged=true",
			"--authorization-mode=Node,RBAC",
			"--enable-admission-plugins=NodeRestriction",
			"--tls-cert-file=" + c.path("pki", "apiserver.crt"),
			"--tls-private-key-file=" + c.path("pki", "apiserver.key"),
			"--client-ca-file=" + c.path("pki", "ca.crt"),
			"--kubelet-client-certificate=" + c.path("pki", "kubelet-client.crt"),
			"--kubelet-client-key=" + c.path("pki", "kubelet-client.key"),
			"--kubelet-certificate-authority=" + c.path("pki", "ca.crt"),
			"--kubelet-preferred-address-types=InternalIP",
			"--service-account-issuer=https://kubernetes.default.svc." + clusterDomain,
			"--service-account-key-file=" + c.path("pki", "tokens.pub"),
			"--service-account-signing-key-file=" + c.path("pki", "tokens.key"),
			"--requestheader-client-ca-file=" + c.path("pki", "ca.crt"),
			"--requestheader-allowed-names=front-proxy-client",
			"--requestheader-username-headers=X-Remote-User",
			"--requestheader-group-headers=X-Remote-Group",
			"--requestheader-extra-headers-prefix=X-Remote-Extra-",
			"--proxy-client-cert-file=" + c.path("pki", "front-proxy-client.crt"),
			"--proxy-client-key-file=" + c.path("pki", "front-proxy-client.key"),
			"--audit-policy-file=" + c.path("etc", "audit-policy.yaml"),
			"--audit-log-path=" + c.AuditLog(),
			"--audit-log-maxsize=100000", // megabytes: one file, never rotated
		}},
	}
}

// controllers are started when the API server is ready. Without a higher rate
// the default service account of a namespace comes seconds late.
func (c *Cluster) controllers() []program {
	own := func(user string) []string {
		kubeconfig := c.path("etc", user+".kubeconfig")
		return []string{
			"--kubeconfig=" + kubeconfig,
			"--authentication-kubeconfig=" + kubeconfig,
			"--authorization-kubeconfig=" + kubeconfig,
			"--bind-address=127.0.0.1",
			"--leader-elect=false",
			"--kube-api-qps=300",
			"--kube-api-burst=500",
		}
	}
	return []program{
		{"kube-controller-manager", append(own("controller-manager"),
			"--use-service-account-credentials=true",
			"--service-account-private-key-file="+c.path("pki", "tokens.key"),
			"--root-ca-file="+c.path("pki", "ca.crt"),
			"--cluster-signing-cert-file="+c.path("pki", "ca.crt"),
			"--cluster-signing-key-file="+c.path("pki", "ca.key"),
		)},
		{"kube-scheduler", own("scheduler")},
		{"clusterdns", []string{"-conf", c.path("etc", "Corefile")}},
		{"localprovisioner", []string{"--kubeconfig", c.Kubeconfig(), "--dir", c.path("volumes")}},
	}
}

// writeControlPlaneConfig writes the files that the programs above read.
func (c *Cluster) writeControlPlaneConfig() error {
	data := map[string]string{
		"Address":    controlPlaneAddress,
		"Domain":     clusterDomain,
		"Kubeconfig": c.Kubeconfig(),
	}
	for _, name := range []string{"audit-policy.yaml", "Corefile", "resolv.conf", "storage.yaml"} {
		if err := writeConfig(c.path("etc", name), name, data); err != nil {
			return err
		}
	}
	return nil
}
