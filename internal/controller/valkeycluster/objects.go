package valkeycluster

import (
	"context"
	"crypto/rand"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/internal/act"
	"github.com/valkey-operator/valkey-operator/internal/observe"
	"github.com/valkey-operator/valkey-operator/internal/render/vkcluster"
	"github.com/valkey-operator/valkey-operator/internal/report"
	"github.com/valkey-operator/valkey-operator/internal/spec"
)

// Field owners. ValkeyNodes have two: what is standing is applied in each
// pass, what is staged restarts a pod and is written only by the plan.
const (
	standingOwner client.FieldOwner = "valkey-operator"
	stagedOwner   client.FieldOwner = "valkey-operator-template"
)

// apply writes the objects that belong to the cluster as a whole, and returns
// what to log in to its servers with.
func (r *Reconciler) apply(ctx context.Context, c spec.Cluster) (observe.Login, []report.Failure, error) {
	passwords, err := r.passwords(ctx, c)
	if err != nil {
		return observe.Login{}, nil, err
	}
	var failures []report.Failure
	for _, object := range vkcluster.Objects(c, passwords) {
		if err := r.standing.Apply(ctx, intent(c, object)); err != nil {
			failures = append(failures, failure("applying the objects of the cluster", err))
		}
	}
	username, password := passwords.OperatorLogin()
	return observe.Login{Username: username, Password: password}, failures, nil
}

func intent(c spec.Cluster, object runtime.ApplyConfiguration) act.Intent {
	return act.Intent{
		Object: object,
		Ours:   act.ControlledBy(c.UID),
		For:    types.NamespacedName{Namespace: c.Namespace, Name: c.Name},
	}
}

// passwords returns the passwords that the cluster has, and new ones for users
// that have none. Whether one exists is asked of the API server if the cache
// does not know: a second password would lock everybody out.
func (r *Reconciler) passwords(ctx context.Context, c spec.Cluster) (vkcluster.Passwords, error) {
	system, err := r.secret(ctx, c, c.SystemPasswordsSecret())
	if err != nil {
		return vkcluster.Passwords{}, err
	}
	auth, err := r.secret(ctx, c, c.AuthSecret())
	if err != nil {
		return vkcluster.Passwords{}, err
	}
	return vkcluster.ReadPasswords(system, auth).Complete(rand.Reader)
}

func (r *Reconciler) secret(ctx context.Context, c spec.Cluster, name string) (map[string][]byte, error) {
	key := types.NamespacedName{Namespace: c.Namespace, Name: name}
	for _, reader := range []client.Reader{r.Client, r.Live} {
		secret := &corev1.Secret{}
		err := reader.Get(ctx, key, secret)
		if err == nil {
			if !act.ControlledBy(c.UID)(secret) {
				return nil, nil // applying it will report the conflict
			}
			return secret.Data, nil
		}
		if !apierrors.IsNotFound(err) {
			return nil, err
		}
	}
	return nil, nil
}
