package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/internal/podtest"
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

const six = 6

// bare are six pods without an operator.
type bare struct {
	podtest.Namespace
	manifest string
}

func (b bare) apply(ctx context.Context, i int) error {
	return b.Apply(ctx, strings.ReplaceAll(b.manifest, "bare-N", fmt.Sprintf("bare-%d", i)))
}

func (b bare) applyAll(ctx context.Context) error {
	for i := range six {
		if err := b.apply(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

func (b bare) ready(ctx context.Context) error {
	return until(ctx, "six bare pods are ready", func() error {
		pods := &corev1.PodList{}
		if err := b.List(ctx, pods, client.InNamespace(b.Name)); err != nil {
			return err
		}
		n := 0
		for _, p := range pods.Items {
			if podtest.PodReady(p) && p.DeletionTimestamp == nil {
				n++
			}
		}
		if n < six {
			return fmt.Errorf("%d are", n)
		}
		return nil
	})
}

// restart deletes one pod and makes it again as soon as it is gone.
func (b bare) restart(ctx context.Context, i int) error {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: b.Name, Name: fmt.Sprintf("bare-%d", i)}}
	if err := b.Delete(ctx, pod); err != nil {
		return err
	}
	if err := until(ctx, pod.Name+" is gone", func() error { return b.Gone(ctx, pod) }); err != nil {
		return err
	}
	return b.apply(ctx, i)
}

// measure times do in a namespace of bare pods, all of which are ready before
// it if there is something to do before.
func (b *bed) measure(ctx context.Context, manifest string, before, do func(context.Context, bare) error) (took time.Duration, err error) {
	err = b.in(ctx, func(ns podtest.Namespace) error {
		pods := bare{ns, manifest}
		if before != nil {
			if err := before(ctx, pods); err != nil {
				return err
			}
		}
		begin := time.Now()
		err := do(ctx, pods)
		took = time.Since(begin)
		return err
	})
	return took, err
}

func create(ctx context.Context, pods bare) error {
	if err := pods.applyAll(ctx); err != nil {
		return err
	}
	return pods.ready(ctx)
}

func barePodsReady(ctx context.Context, b *bed) (time.Duration, error) {
	return b.measure(ctx, barePods, nil, create)
}

func bareServersReady(ctx context.Context, b *bed) (time.Duration, error) {
	return b.measure(ctx, bareServers, nil, create)
}

// barePodsRestarted is the floor of a roll: one pod after the other is deleted,
// made again and awaited.
func barePodsRestarted(ctx context.Context, b *bed) (time.Duration, error) {
	return b.measure(ctx, barePods, create, func(ctx context.Context, pods bare) error {
		for i := range six {
			if err := pods.restart(ctx, i); err != nil {
				return err
			}
			if err := pods.ready(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// barePodsReplaced is the floor of losing all pods: all are deleted, and each
// is made again as soon as it is gone.
func barePodsReplaced(ctx context.Context, b *bed) (time.Duration, error) {
	return b.measure(ctx, barePods, create, func(ctx context.Context, pods bare) error {
		errs := make(chan error, six)
		for i := range six {
			go func() { errs <- pods.restart(ctx, i) }()
		}
		for range six {
			if err := <-errs; err != nil {
				return err
			}
		}
		return pods.ready(ctx)
	})
}
