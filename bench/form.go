package main

import (
	"context"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/podtest"
)

const (
	clusterName = "c"
	shards      = 3
	replicas    = 1
)

const clusterManifest = `apiVersion: valkey.io/v1alpha1
kind: ValkeyCluster
metadata: {name: c}
spec:
  shards: 3
  replicas: 1
  image: valkey/valkey:9.1
  persistence: {size: 1Gi, storageClassName: gp3}
`

func clusterReady(ctx context.Context, b *bed) (o outcome, err error) {
	err = b.in(ctx, func(ns podtest.Namespace) error {
		begin := time.Now()
		err := form(ctx, ns)
		o.took = time.Since(begin)
		return err
	})
	return o, err
}

// form makes the cluster and waits until it says that it is Ready.
func form(ctx context.Context, ns podtest.Namespace) error {
	if err := ns.Apply(ctx, clusterManifest); err != nil {
		return err
	}
	return until(ctx, "the cluster is Ready", func() error {
		c, err := ns.Cluster(ctx, clusterName)
		if err != nil {
			return err
		}
		return podtest.Ready(c)
	})
}
