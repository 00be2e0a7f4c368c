package podsim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	operator "github.com/valkey-operator/valkey-operator/internal/controller"
)

const childMark = "VALKEY_PODSIM_CHILD"

// IsChild reports whether this process is to stand in for pods.
func IsChild() bool { return os.Getenv(childMark) != "" }

// Child stands in for pods until the input ends. It does what the input says
// and answers on the output.
func Child() {
	ctrl.SetLogger(logr.Discard())
	if err := child(os.Stdin, os.Stdout); err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, "podsim:", err)
		os.Exit(1)
	}
}

func child(in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	requests, answers := json.NewDecoder(in), json.NewEncoder(out)
	var to connection
	if err := requests.Decode(&to); err != nil {
		return err
	}
	m, err := newMachines(ctx, to)
	if err != nil {
		return err
	}
	for {
		var r request
		if err := requests.Decode(&r); err != nil {
			return err
		}
		if r.Cluster != "" {
			m.strike(ctx, r.Cluster, r.Fault)
		}
		if err := answers.Encode(m.counts()); err != nil {
			return err
		}
	}
}

func newMachines(ctx context.Context, to connection) (*machines, error) {
	scheme := clientscheme.Scheme
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	cfg := &rest.Config{Host: to.Host, QPS: -1, UserAgent: "podsim", TLSClientConfig: rest.TLSClientConfig{CAData: to.CA, CertData: to.Cert, KeyData: to.Key}}
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme: scheme, Cache: operator.CacheOptions(), Metrics: metrics.Options{BindAddress: "0"},
	})
	if err != nil {
		return nil, err
	}
	m := &machines{ctx: ctx, client: mgr.GetClient(), clusters: map[string]*cluster{}, running: map[types.UID]*server{}}
	if err := m.setUp(mgr); err != nil {
		return nil, err
	}
	go func() {
		if err := mgr.Start(ctx); err != nil {
			fmt.Fprintln(os.Stderr, "podsim:", err)
		}
	}()
	mgr.GetCache().WaitForCacheSync(ctx)
	return m, nil
}

func (m *machines) setUp(mgr ctrl.Manager) error {
	options := controller.Options{MaxConcurrentReconciles: 16}
	sets := ctrl.NewControllerManagedBy(mgr).For(&appsv1.StatefulSet{}).Owns(&corev1.Pod{}).WithOptions(options)
	if err := sets.Complete(reconcile.Func(m.statefulSets)); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&corev1.Pod{}).WithOptions(options).Complete(reconcile.Func(m.pods))
}

// strike has the fault happen to the cluster, and its pods show it.
func (m *machines) strike(ctx context.Context, name string, f Fault) {
	m.clusterNamed(name).strike(f)
	var pods corev1.PodList
	if err := m.client.List(ctx, &pods, client.HasLabels{v1alpha1.LabelCluster}); err != nil {
		fmt.Fprintln(os.Stderr, "podsim:", err)
	}
	for i := range pods.Items {
		if p := &pods.Items[i]; p.Namespace+"/"+p.Labels[v1alpha1.LabelCluster] == name {
			if _, err := m.pods(ctx, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(p)}); err != nil {
				fmt.Fprintln(os.Stderr, "podsim:", err)
			}
		}
	}
}
