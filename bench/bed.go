package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/valkey-operator/valkey-operator/internal/podtest"
)

// bed is the Kubernetes cluster that is measured on, and what was asked for.
type bed struct {
	podtest.Kube
	runs    int
	load    bool
	killing bool
	alone   map[int][]outcome // of a killed server without the operator, by WAIT
}

// patience is how long anything may take on a busy machine.
const patience = 10 * time.Minute

// until asks often enough for the error of a measurement to be small.
func until(ctx context.Context, what string, so func() error) error {
	return podtest.Until(ctx, patience, 20*time.Millisecond, what, so)
}

func (b *bed) newNamespace() podtest.Namespace {
	return podtest.Namespace{Kube: b.Kube, Name: "bench-" + rand.String(5)}
}

// in runs do in a namespace that is gone again when in returns, so that one
// measurement is not disturbed by the end of the one before.
func (b *bed) in(ctx context.Context, do func(podtest.Namespace) error) error {
	ns := b.newNamespace()
	if err := b.Create(ctx, ns.Object()); err != nil {
		return err
	}
	did := do(ns)
	return errors.Join(did, b.remove(ctx, ns))
}

// remove deletes a namespace and waits until it is gone.
func (b *bed) remove(ctx context.Context, ns podtest.Namespace) error {
	if err := b.Delete(ctx, ns.Object()); err != nil {
		return err
	}
	return until(ctx, "namespace "+ns.Name+" is gone", func() error { return b.Gone(ctx, ns.Object()) })
}

// progress tells whoever waits what goes on.
func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, time.Now().UTC().Format("15:04:05 ")+format+"\n", args...)
}
