package valkeynode

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/watch"
)

// credentialsMissing says which part of the login does not exist.
type credentialsMissing struct{ what string }

func (e *credentialsMissing) Error() string { return e.what }

// defaultUser is the user that every connection begins as.
const defaultUser = "default"

func watchKey(n *v1alpha1.ValkeyNode) watch.Key {
	return watch.Key{Namespace: n.Namespace, Name: n.Name}
}

// serverAddr returns where the server of the pod answers; not valid while the
// pod has no address.
func serverAddr(n *v1alpha1.ValkeyNode, p *corev1.Pod) netip.AddrPort {
	ip, err := netip.ParseAddr(p.Status.PodIP)
	if err != nil {
		return netip.AddrPort{}
	}
	port := int32(v1alpha1.PortClient)
	if n.Spec.Access != nil {
		port = cmp.Or(n.Spec.Access.Port, port)
	}
	return netip.AddrPortFrom(ip, uint16(port))
}

// targetOf returns a function that adds to an address the login that the node
// names at that time.
func (r *Reconciler) targetOf(key types.NamespacedName) func(context.Context, netip.AddrPort) (valkey.Target, error) {
	return func(ctx context.Context, addr netip.AddrPort) (valkey.Target, error) {
		var n v1alpha1.ValkeyNode
		if err := r.Client.Get(ctx, key, &n); err != nil {
			return valkey.Target{}, err
		}
		return r.target(ctx, &n, addr)
	}
}

func (r *Reconciler) target(ctx context.Context, n *v1alpha1.ValkeyNode, addr netip.AddrPort) (valkey.Target, error) {
	credentials, err := r.credentials(ctx, n)
	return valkey.Target{Addr: addr, Credentials: credentials}, err
}

func (r *Reconciler) credentials(ctx context.Context, n *v1alpha1.ValkeyNode) (valkey.Credentials, error) {
	access := n.Spec.Access
	switch {
	case access == nil:
		return valkey.Credentials{}, nil
	case access.PasswordSecretRef == nil && cmp.Or(access.Username, defaultUser) == defaultUser:
		return valkey.Credentials{}, nil
	case access.PasswordSecretRef == nil: // a user without password
		return valkey.Credentials{Username: access.Username}, nil
	}
	ref := access.PasswordSecretRef
	secret, err := r.secret(ctx, types.NamespacedName{Namespace: n.Namespace, Name: ref.Name})
	if err != nil {
		return valkey.Credentials{}, err
	}
	password := secret.Data[ref.Key]
	if len(password) == 0 {
		return valkey.Credentials{}, &credentialsMissing{fmt.Sprintf("Secret %s, which access names, has no key %s or nothing in it", ref.Name, ref.Key)}
	}
	return valkey.Credentials{
		Username:   cmp.Or(access.Username, defaultUser),
		Password:   valkey.NewPassword(string(password)),
		Generation: string(secret.UID) + "/" + secret.ResourceVersion,
	}, nil
}

// secret reads a Secret from the cache or, when it is not one of the
// operator's own, from the API server.
func (r *Reconciler) secret(ctx context.Context, key types.NamespacedName) (*corev1.Secret, error) {
	var secret corev1.Secret
	err := r.Client.Get(ctx, key, &secret)
	if apierrors.IsNotFound(err) {
		err = r.Live.Get(ctx, key, &secret)
	}
	if apierrors.IsNotFound(err) {
		return nil, &credentialsMissing{fmt.Sprintf("Secret %s, which access names, does not exist", key.Name)}
	}
	return &secret, err
}
