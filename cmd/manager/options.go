package main

import (
	"flag"
	"strings"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/spec"
)

// options are what whoever runs the operator chooses.
type options struct {
	elect               bool
	electIn             string
	metrics, health     string
	namespaces          list
	image               string
	lease, renew, retry time.Duration
}

func (o *options) addTo(flags *flag.FlagSet) {
	flags.BoolVar(&o.elect, "leader-elect", false, "act only while holding the lease, so that several operators may run and one acts")
	flags.StringVar(&o.electIn, "leader-election-namespace", "", "namespace of the lease; the operator's own when empty")
	flags.StringVar(&o.metrics, "metrics-bind-address", ":8080", "address of the metrics; 0 turns them off")
	flags.StringVar(&o.health, "health-probe-bind-address", ":8081", "address of /healthz and /readyz; 0 turns them off")
	flags.Var(&o.namespaces, "watch-namespace", "a namespace to serve; may be repeated; without it all are served")
	flags.StringVar(&o.image, "default-image", spec.DefaultImage, "image of clusters that name none")
	// A leader that dies without a word is replaced after the lease's duration;
	// meanwhile nobody helps a failing primary but the servers themselves.
	flags.DurationVar(&o.lease, "lease-duration", 8*time.Second, "how long a leader may be silent before another one takes over")
	flags.DurationVar(&o.renew, "lease-renew-deadline", 6*time.Second, "how long a leader tries to renew its lease before it gives up")
	flags.DurationVar(&o.retry, "lease-retry-period", time.Second, "pause between two tries for the lease")
}

// list is a flag that may be repeated.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }

func (l *list) Set(value string) error {
	*l = append(*l, value)
	return nil
}
