package main

import (
	"net/http"
	"strings"

	"k8s.io/client-go/rest"
)

// underWay is how many requests the API server is sent at a time. More would
// only wait there, and the renewal of the lease behind them: an operator that
// forms many clusters at once lost its lease so.
const underWay = 16

// bound has cfg's clients send a bounded number of requests at a time. Leases
// always go first, and watches count only until they have begun.
func bound(cfg *rest.Config) {
	slots := make(chan struct{}, underWay)
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(req *http.Request) (*http.Response, error) {
			if strings.HasPrefix(req.URL.Path, "/apis/coordination.k8s.io/") {
				return next.RoundTrip(req)
			}
			select {
			case slots <- struct{}{}:
			case <-req.Context().Done():
				return nil, req.Context().Err()
			}
			defer func() { <-slots }()
			return next.RoundTrip(req)
		})
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements [http.RoundTripper].
func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
