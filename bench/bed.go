package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/yaml"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/config"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// bed is the cluster that is measured.
type bed struct{ client.WithWatch }

func newBed() (*bed, error) {
	cfg, err := config.GetConfig()
	if err != nil {
		return nil, err
	}
	cfg.QPS, cfg.Burst = -1, -1
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		return nil, err
	}
	c, err := client.NewWithWatch(cfg, client.Options{Scheme: scheme})
	return &bed{c}, err
}

// in runs do in a namespace that is gone again when in returns, so that one
// measurement is not disturbed by the end of the one before.
func (b *bed) in(ctx context.Context, do func(namespace string) error) error {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "bench-" + rand.String(5)}}
	if err := b.Create(ctx, ns); err != nil {
		return err
	}
	did := do(ns.Name)
	if err := b.Delete(ctx, ns); err != nil {
		return errors.Join(did, err)
	}
	return errors.Join(did, b.until(ctx, "the namespace is gone", func() (bool, error) {
		err := b.Get(ctx, client.ObjectKeyFromObject(ns), ns)
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	}))
}

// create makes the objects of a manifest.
func (b *bed) create(ctx context.Context, namespace, manifest string) error {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewBufferString(manifest), 4096)
	for {
		u := &unstructured.Unstructured{}
		err := decoder.Decode(&u.Object)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		u.SetNamespace(namespace)
		if err := b.Create(ctx, u); err != nil {
			return err
		}
	}
}

const patience = 10 * time.Minute

// until asks often enough for the error of a measurement to be small.
func (b *bed) until(ctx context.Context, what string, so func() (bool, error)) error {
	for begin := time.Now(); time.Since(begin) < patience; time.Sleep(20 * time.Millisecond) {
		if done, err := so(); done || err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return fmt.Errorf("not after %v: %s", patience, what)
}
