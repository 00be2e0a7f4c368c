package podtest

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/config"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// Kube is the Kubernetes cluster that KUBECONFIG names.
type Kube struct{ client.Client }

// Connect returns a client without a cache that the API server knows by the
// name of its user agent.
func Connect(userAgent string) (Kube, error) {
	cfg, err := config.GetConfig()
	if err != nil {
		return Kube{}, err
	}
	cfg.QPS, cfg.Burst = -1, -1
	cfg.UserAgent = userAgent
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		return Kube{}, err
	}
	c, err := client.New(cfg, client.Options{Scheme: scheme})
	return Kube{c}, err
}

// Kubectl runs kubectl and returns what it prints.
func Kubectl(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "kubectl", args...).Output()
	if err != nil {
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(failed.Stderr)))
		}
		return "", fmt.Errorf("kubectl %s: %w", strings.Join(args, " "), err)
	}
	return string(out), nil
}

// Until asks again and again until so returns nil. Its error is the last one.
func Until(ctx context.Context, patience, every time.Duration, what string, so func() error) error {
	begin := time.Now()
	for {
		err := so()
		if err == nil {
			return nil
		}
		if time.Since(begin) > patience {
			return fmt.Errorf("not within %v: %s: %w", patience, what, err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, ctx.Err())
		case <-time.After(every):
		}
	}
}
