package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// barePods is one of six: a pod with the same image and claim, and a probe
// every second.
const barePods = `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: bare-N}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: gp3
  resources: {requests: {storage: 1Gi}}
---
apiVersion: v1
kind: Pod
metadata: {name: bare-N, labels: {app: bare}}
spec:
  securityContext: {runAsUser: 999, runAsGroup: 999, fsGroup: 999, runAsNonRoot: true}
  containers:
    - name: server
      image: valkey/valkey:9.1
      command: [valkey-server, --dir, /data, --protected-mode, "no"]
      readinessProbe: {exec: {command: [valkey-cli, PING]}, periodSeconds: 1}
      volumeMounts: [{name: data, mountPath: /data}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: bare-N}}]
`

// bareServers are the same pods, ready once a server that has slots serves
// them: a primary waits for that in the first two seconds of its life, however
// early it got them. No operator can be faster.
var bareServers = strings.NewReplacer(
	`command: [valkey-server, --dir, /data, --protected-mode, "no"]`,
	`command: [sh, -c, "(until valkey-cli CLUSTER ADDSLOTSRANGE 0 16383 | grep OK; do sleep 0.1; done) & exec valkey-server --dir /data --protected-mode no --cluster-enabled yes"]`,
	`command: [valkey-cli, PING]`,
	`command: [sh, -c, "valkey-cli CLUSTER INFO | grep -q cluster_state:ok"]`,
).Replace(barePods)

const clusterManifest = `apiVersion: valkey.io/v1alpha1
kind: ValkeyCluster
metadata: {name: c}
spec:
  shards: 3
  replicas: 1
  image: valkey/valkey:9.1
  persistence: {size: 1Gi, storageClassName: gp3}
`

func barePodsReady(ctx context.Context, b *bed) (time.Duration, error) {
	return sixReady(ctx, b, barePods)
}

func bareServersReady(ctx context.Context, b *bed) (time.Duration, error) {
	return sixReady(ctx, b, bareServers)
}

// sixReady measures the time from creating six of the manifest, numbered, to
// the last pod's being ready.
func sixReady(ctx context.Context, b *bed, manifest string) (took time.Duration, err error) {
	var manifests []string
	for i := range 6 {
		manifests = append(manifests, strings.ReplaceAll(manifest, "bare-N", fmt.Sprintf("bare-%d", i)))
	}
	err = b.in(ctx, func(namespace string) error {
		begin := time.Now()
		if err := b.create(ctx, namespace, strings.Join(manifests, "---\n")); err != nil {
			return err
		}
		err := b.until(ctx, "six bare pods are ready", func() (bool, error) {
			pods := &corev1.PodList{}
			if err := b.List(ctx, pods, client.InNamespace(namespace)); err != nil {
				return false, err
			}
			return ready(pods.Items) == 6, nil
		})
		took = time.Since(begin)
		return err
	})
	return took, err
}

func ready(pods []corev1.Pod) int {
	n := 0
	for _, p := range pods {
		for _, c := range p.Status.Conditions {
			if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
				n++
			}
		}
	}
	return n
}

func clusterReady(ctx context.Context, b *bed) (took time.Duration, err error) {
	err = b.in(ctx, func(namespace string) error {
		begin := time.Now()
		if err := b.create(ctx, namespace, clusterManifest); err != nil {
			return err
		}
		err := b.until(ctx, "the cluster is Ready", func() (bool, error) {
			c := &v1alpha1.ValkeyCluster{}
			err := b.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "c"}, c)
			return meta.IsStatusConditionTrue(c.Status.Conditions, v1alpha1.ConditionReady), err
		})
		took = time.Since(begin)
		return err
	})
	return took, err
}
