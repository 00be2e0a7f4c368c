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

// bed is the Kubernetes cluster that is measured on, and whether servers are
// kept busy meanwhile.
type bed struct {
	podtest.Kube
	load bool
}

// in runs do in a namespace that is gone again when in returns, so that one
// measurement is not disturbed by the end of the one before.
func (b *bed) in(ctx context.Context, do func(podtest.Namespace) error) error {
	ns := podtest.Namespace{Kube: b.Kube, Name: "bench-" + rand.String(5)}
	if err := b.Create(ctx, ns.Object()); err != nil {
		return err
	}
	did := do(ns)
	if err := b.Delete(context.WithoutCancel(ctx), ns.Object()); err != nil {
		return errors.Join(did, err)
	}
	gone := until(ctx, "namespace "+ns.Name+" is gone", func() error { return b.Gone(ctx, ns.Object()) })
	return errors.Join(did, gone)
}

// patience is how long anything may take on a busy machine.
const patience = 10 * time.Minute

// until asks often enough for the error of a measurement to be small.
func until(ctx context.Context, what string, so func() error) error {
	return podtest.Until(ctx, patience, 20*time.Millisecond, what, so)
}

// progress tells whoever waits what goes on.
func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, clock(time.Now())+" "+format+"\n", args...)
}

// clock returns a time as the logs of servers and of the operator have it.
func clock(t time.Time) string { return t.UTC().Format("15:04:05.000") }
