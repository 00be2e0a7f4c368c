// Package apitest gives tests a real API server: kube-apiserver and etcd, with
// our CRDs, and nothing else. No controller of Kubernetes runs, so what those
// would do a test does itself: it makes pods and sets their status, and objects
// whose owner is deleted stay.
//
//	func TestMain(m *testing.M) { apitest.Main(m) }
//
//	func TestSomething(t *testing.T) {
//		api := apitest.Start(t)
//		namespace := api.Namespace(t)
//		…
//	}
//
// The environment variable KUBEBUILDER_ASSETS names the directory of the two
// programs; `make test` builds them and sets it. Without it the tests that need
// an API server are skipped, and say so.
//
// The package is for tests only.
package apitest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

const assets = "KUBEBUILDER_ASSETS"

// API is a running API server.
type API struct {
	// Config is for clients with every right.
	Config *rest.Config
	// Client is one of them; it has no cache.
	Client client.Client
}

var shared struct {
	once        sync.Once
	environment *envtest.Environment
	api         *API
	err         error
}

// Main runs the tests of a package, and ends the API server if one of them
// started it.
func Main(m *testing.M) {
	code := m.Run()
	if shared.environment != nil {
		if err := shared.environment.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "apitest: ending the API server:", err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// Start returns the API server of the test's package, which the first call
// starts. Tests share it; each makes a namespace of its own.
func Start(t *testing.T) *API {
	t.Helper()
	if os.Getenv(assets) == "" && os.Getenv("TESTS_REQUIRED") != "" {
		t.Fatalf("%s is not set, so there is no API server to test against", assets)
	}
	if os.Getenv(assets) == "" {
		fmt.Fprintf(os.Stderr, "apitest: SKIPPED %s: %s is not set; `make test` sets it\n", t.Name(), assets)
		t.Skipf("%s is not set, so there is no API server to test against", assets)
	}
	shared.once.Do(start)
	if shared.err != nil {
		t.Fatalf("starting the API server: %v", shared.err)
	}
	return shared.api
}

func start() {
	if err := clientscheme.AddToScheme(clientscheme.Scheme); err != nil {
		shared.err = err
		return
	}
	if err := v1alpha1.AddToScheme(clientscheme.Scheme); err != nil {
		shared.err = err
		return
	}
	environment := &envtest.Environment{
		CRDDirectoryPaths:        []string{filepath.Join(root(), "config", "crd")},
		ErrorIfCRDPathMissing:    true,
		ControlPlaneStartTimeout: 2 * time.Minute,
		ControlPlaneStopTimeout:  time.Minute,
	}
	// Every cluster has two Services with an address.
	environment.ControlPlane.GetAPIServer().Configure().Set("service-cluster-ip-range", "10.0.0.0/16")
	config, err := launch(environment)
	shared.environment = environment
	if err != nil {
		shared.err = err
		return
	}
	config.QPS, config.Burst = 1000, 1000
	c, err := client.New(config, client.Options{Scheme: clientscheme.Scheme})
	shared.api, shared.err = &API{Config: config, Client: c}, err
}

// launch starts the two programs. They may use more memory than they do by
// default, and so spend less time on collecting it: the machine is the tests'.
func launch(environment *envtest.Environment) (*rest.Config, error) {
	const variable = "GOGC"
	before, set := os.LookupEnv(variable)
	if err := os.Setenv(variable, "400"); err != nil {
		return nil, err
	}
	defer func() {
		if set {
			_ = os.Setenv(variable, before)
		} else {
			_ = os.Unsetenv(variable)
		}
	}()
	return environment.Start()
}

// root returns the directory of the repository. Tests run in the directory of
// their package.
func root() string {
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return "."
}

// Namespace makes a namespace for the test.
func (a *API) Namespace(t *testing.T) string {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	if err := a.Client.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	return namespace.Name
}

// Create makes objects, or fails the test.
func (a *API) Create(t *testing.T, objects ...client.Object) {
	t.Helper()
	for _, o := range objects {
		if err := a.Client.Create(t.Context(), o); err != nil {
			t.Fatalf("creating %T %s: %v", o, o.GetName(), err)
		}
	}
}

// patience is how long anything may take on a busy machine.
const patience = 30 * time.Second

// Eventually waits until the condition returns "", and fails the test with what
// it returned last if it does not.
func Eventually(t *testing.T, condition func(ctx context.Context) string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		wrong := condition(t.Context())
		if wrong == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("still after %v: %s", patience, strings.TrimSpace(wrong))
		}
		time.Sleep(20 * time.Millisecond)
	}
}
