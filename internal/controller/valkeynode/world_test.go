package valkeynode

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/apitest"
	"github.com/valkey-operator/valkey-operator/internal/controller"
	"github.com/valkey-operator/valkey-operator/internal/watch"
)

// logged are the lines that the controller logs.
var logged = &logLines{}

func TestMain(m *testing.M) {
	ctrl.SetLogger(funcr.New(func(_, args string) { logged.add(args) }, funcr.Options{}))
	apitest.Main(m)
}

type logLines struct {
	mu  sync.Mutex
	all []string
}

func (l *logLines) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, line)
}

// take returns the lines since it was last called.
func (l *logLines) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.all
	l.all = nil
	return all
}

// world is a namespace in which the controller runs.
type world struct {
	*testing.T
	*apitest.API
	namespace string
	sim       *apitest.Simulation
	network   *network
	requests  *requests
	stop      func()
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := newIdleWorld(t)
	w.run()
	return w
}

// newIdleWorld returns a world in which the controller does not run yet.
func newIdleWorld(t *testing.T) *world {
	t.Helper()
	api := apitest.Start(t)
	w := &world{T: t, API: api, network: newNetwork(), namespace: api.Namespace(t)}
	w.sim = api.Simulate(t, w.namespace)
	return w
}

// run starts the controller, until stop is called or the test ends.
func (w *world) run() {
	w.Helper()
	w.requests = &requests{}
	cfg := rest.CopyConfig(w.Config)
	cfg.Wrap(w.requests.wrap)
	unique := true
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme:     clientscheme.Scheme,
		Cache:      controller.CacheOptions(w.namespace),
		Metrics:    metrics.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: &unique},
	})
	if err != nil {
		w.Fatal(err)
	}
	watcher := watch.New(w.network, 50*time.Millisecond)
	r := New(mgr.GetClient(), mgr.GetAPIReader(), w.network, watcher, mgr.GetEventRecorder("valkey-operator"))
	if err := r.SetupWithManager(mgr); err != nil {
		w.Fatal(err)
	}
	if err := mgr.Add(watcher); err != nil {
		w.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	var once sync.Once
	w.stop = func() {
		once.Do(func() {
			cancel()
			if err := <-ended; err != nil {
				w.Errorf("manager: %v", err)
			}
		})
	}
	w.Cleanup(w.stop)
}

// requests are those that the controller sent to the API server, watches left
// out.
type requests struct {
	mu  sync.Mutex
	all []string
}

func (r *requests) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		if req.URL.Query().Get("watch") == "" && !strings.HasPrefix(req.URL.Path, "/apis/coordination") {
			r.mu.Lock()
			r.all = append(r.all, req.Method+" "+req.URL.Path)
			r.mu.Unlock()
		}
		return next.RoundTrip(req)
	})
}

// take returns the requests since it was last called.
func (r *requests) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.all
	r.all = nil
	return all
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// node returns a ValkeyNode with one container.
func (w *world) node(name string, change ...func(*v1alpha1.ValkeyNode)) *v1alpha1.ValkeyNode {
	n := &v1alpha1.ValkeyNode{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name}}
	n.Spec.PodTemplate.Spec.Containers = []corev1.Container{{Name: "server", Image: "valkey/valkey:9.1"}}
	for _, f := range change {
		f(n)
	}
	return n
}

func (w *world) key(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: w.namespace, Name: name}
}

// get reads an object, or fails the test.
func get[T client.Object](w *world, name string, into T) T {
	w.Helper()
	if err := w.Client.Get(w.Context(), w.key(name), into); err != nil {
		w.Fatal(err)
	}
	return into
}

func (w *world) set(name string) *appsv1.StatefulSet {
	w.Helper()
	return get(w, "valkey-"+name, &appsv1.StatefulSet{})
}

func (w *world) pod(name string) *corev1.Pod {
	w.Helper()
	return get(w, "valkey-"+name+"-0", &corev1.Pod{})
}

// update changes the node, however often somebody else writes meanwhile.
func (w *world) update(name string, change func(*v1alpha1.ValkeyNode)) *v1alpha1.ValkeyNode {
	w.Helper()
	n := get(w, name, &v1alpha1.ValkeyNode{})
	before := n.DeepCopy()
	change(n)
	if err := w.Client.Patch(w.Context(), n, client.MergeFrom(before)); err != nil {
		w.Fatal(err)
	}
	return n
}

// awaits waits until the condition of the node has the status and reason.
func (w *world) awaits(name, kind string, status metav1.ConditionStatus, reason string) metav1.Condition {
	w.Helper()
	var found metav1.Condition
	apitest.Eventually(w.T, func(ctx context.Context) string {
		n := &v1alpha1.ValkeyNode{}
		if err := w.Client.Get(ctx, w.key(name), n); err != nil {
			return err.Error()
		}
		c := find(n.Status.Conditions, kind)
		if c == nil || c.Status != status || c.Reason != reason || n.Status.ObservedGeneration != n.Generation {
			return fmt.Sprintf("%s is %+v; want %s %s", kind, n.Status.Conditions, status, reason)
		}
		found = *c
		return ""
	})
	return found
}

func (w *world) awaitsReady(name string) {
	w.Helper()
	w.awaits(name, v1alpha1.ConditionReady, metav1.ConditionTrue, v1alpha1.ReasonServerAnswers)
	w.awaits(name, v1alpha1.ConditionProgressing, metav1.ConditionFalse, v1alpha1.ReasonUpToDate)
}

// awaitsGone waits until the object does not exist.
func (w *world) awaitsGone(name string, o client.Object) {
	w.Helper()
	apitest.Eventually(w.T, func(ctx context.Context) string {
		err := w.Client.Get(ctx, w.key(name), o)
		if client.IgnoreNotFound(err) == nil && err != nil {
			return ""
		}
		return fmt.Sprintf("%T %s is still there (%v), finalizers %v", o, name, err, o.GetFinalizers())
	})
}

// settles waits until the controller has sent no request for a while, and fails
// the test if that does not happen.
func (w *world) settles() {
	w.Helper()
	quiet := time.Now()
	apitest.Eventually(w.T, func(context.Context) string {
		if sent := w.requests.take(); len(sent) > 0 {
			quiet = time.Now()
			return fmt.Sprintf("requests: %v", sent)
		}
		if time.Since(quiet) < 700*time.Millisecond {
			return "quiet for too short a time"
		}
		return ""
	})
}
