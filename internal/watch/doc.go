// Package watch keeps an eye on Valkey servers: it learns at once when one goes
// away, within two seconds when its role changes, and tells whoever subscribed.
//
// It may know the Valkey client. It must not know Kubernetes, and it decides
// nothing. Only changes that mean something are told: a role, a primary, a
// link, a restart, a server lost or found; never an offset.
package watch
