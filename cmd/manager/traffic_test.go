package main

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"

	"k8s.io/client-go/rest"
)

// Requests beyond the bound wait, but for those of leases; one that is given up
// does not wait any longer.
func TestRequestsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		arrived, release := 0, make(chan struct{})
		server := roundTripper(func(*http.Request) (*http.Response, error) {
			arrived++
			<-release
			return &http.Response{}, nil
		})
		cfg := &rest.Config{}
		bound(cfg)
		client := cfg.WrapTransport(server)
		send := func(ctx context.Context, path string) error {
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://api"+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = client.RoundTrip(req) //nolint:bodyclose // there is none
			return err
		}
		for range underWay + 5 {
			go func() { _ = send(t.Context(), "/apis/valkey.io/v1alpha1/valkeynodes") }()
		}
		synctest.Wait()
		if arrived != underWay {
			t.Errorf("%d requests are under way, want %d", arrived, underWay)
		}
		go func() { _ = send(t.Context(), "/apis/coordination.k8s.io/v1/namespaces/x/leases/y") }()
		synctest.Wait()
		if arrived != underWay+1 {
			t.Error("the lease waits")
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- send(ctx, "/api/v1/pods") }()
		synctest.Wait()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("given up: %v", err)
		}
		close(release)
		synctest.Wait()
		if want := underWay + 5 + 1; arrived != want {
			t.Errorf("%d requests in the end, want %d", arrived, want)
		}
	})
}
