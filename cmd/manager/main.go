// Command manager is the operator: it runs the controllers of ValkeyClusters
// and ValkeyNodes.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/config"
	"github.com/valkey-operator/valkey-operator/internal/controller"
	"github.com/valkey-operator/valkey-operator/internal/controller/valkeycluster"
	"github.com/valkey-operator/valkey-operator/internal/controller/valkeynode"
	"github.com/valkey-operator/valkey-operator/internal/crds"
	"github.com/valkey-operator/valkey-operator/internal/spec"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/watch"
)

// version is set when the operator is built.
var version = "dev"

func main() {
	o := options{}
	o.addTo(flag.CommandLine)
	logging := zap.Options{}
	logging.BindFlags(flag.CommandLine)
	flag.Parse()
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&logging)))
	if err := run(ctrl.SetupSignalHandler(), o); err != nil {
		fmt.Fprintln(os.Stderr, "valkey-operator:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	cfg, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	configure(cfg)
	if err := checkDefinitions(ctx, cfg); err != nil {
		return err
	}
	mgr, err := newManager(cfg, o)
	if err != nil {
		return err
	}
	if err := addControllers(mgr, o); err != nil {
		return err
	}
	ctrl.Log.Info("Starting", "version", version, "namespaces", o.namespaces)
	return mgr.Start(ctx)
}

// configure says how the API server is used.
func configure(cfg *rest.Config) {
	cfg.UserAgent = "valkey-operator/" + version
	// Forming many clusters at once takes many requests, a converged one takes
	// none. How many a second is for the API server to say.
	cfg.QPS = -1
	bound(cfg)
}

func checkDefinitions(ctx context.Context, cfg *rest.Config) error {
	live, err := client.New(cfg, client.Options{Scheme: newScheme()})
	if err != nil {
		return err
	}
	wanted, err := crds.Read(config.CRDs, "crd/*.yaml")
	if err != nil {
		return err
	}
	return crds.Check(ctx, live, wanted)
}

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(err) // two kinds of one name, which a test would have found
		}
	}
	return scheme
}

func newManager(cfg *rest.Config, o options) (ctrl.Manager, error) {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme:                        newScheme(),
		Cache:                         controller.CacheOptions(o.namespaces...),
		Metrics:                       server.Options{BindAddress: o.metrics},
		HealthProbeBindAddress:        o.health,
		LeaderElection:                o.elect,
		LeaderElectionID:              "valkey-operator.valkey.io",
		LeaderElectionNamespace:       o.electIn,
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 &o.lease,
		RenewDeadline:                 &o.renew,
		RetryPeriod:                   &o.retry,
	})
	if err != nil {
		return nil, err
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return nil, err
	}
	return mgr, mgr.AddReadyzCheck("ping", healthz.Ping)
}

// idleConnection is how long a connection is kept for the next pass: longer
// than the pause between two passes over a cluster in which nothing happens.
const idleConnection = 30 * time.Second

func addControllers(mgr ctrl.Manager, o options) error {
	network := valkey.TCP{}
	watcher := watch.New(network, watch.Interval)
	if err := mgr.Add(watcher); err != nil {
		return err
	}
	pool := valkey.NewPool(network, idleConnection)
	events, err := newRecorder(mgr)
	if err != nil {
		return err
	}
	nodes := valkeynode.New(mgr.GetClient(), mgr.GetAPIReader(), pool, watcher, events)
	if err := nodes.SetupWithManager(mgr); err != nil {
		return err
	}
	clusters := valkeycluster.New(mgr.GetClient(), mgr.GetAPIReader(), pool, watcher, events, spec.Defaults{Image: o.image})
	return clusters.SetupWithManager(mgr)
}
