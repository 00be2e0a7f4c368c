package main

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// requests counts what the operator asks of the API server.
type requests struct {
	mu     sync.Mutex
	counts tally
}

// tally is the number of requests by method and resource.
type tally map[string]int

func (r *requests) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		r.mu.Lock()
		r.counts[req.Method+" "+resourceOf(req.URL.Path)]++
		r.mu.Unlock()
		return next.RoundTrip(req)
	})
}

// resourceOf reads /api/VERSION/… and /apis/GROUP/VERSION/…, with
// namespaces/NAME/RESOURCE/NAME/SUBRESOURCE after it.
func resourceOf(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	skip := map[string]int{"api": 2, "apis": 3}[parts[0]]
	if skip == 0 || len(parts) <= skip {
		return path
	}
	parts = parts[skip:]
	if parts[0] == "namespaces" && len(parts) > 2 {
		parts = parts[2:]
	}
	if len(parts) > 2 {
		return parts[0] + "/" + parts[2]
	}
	return parts[0]
}

// take returns the counts since it was last called.
func (r *requests) take() tally {
	r.mu.Lock()
	defer r.mu.Unlock()
	counts := r.counts
	r.counts = tally{}
	return counts
}

// writes is how many of them write anything but a lease.
func (t tally) writes() int {
	n := 0
	for what, count := range t {
		if !strings.HasPrefix(what, "GET ") && !strings.HasSuffix(what, " leases") {
			n += count
		}
	}
	return n
}

func (t tally) String() string {
	var parts []string
	for _, what := range slices.SortedFunc(maps.Keys(t), func(a, b string) int { return t[b] - t[a] }) {
		parts = append(parts, fmt.Sprintf("%s %d", what, t[what]))
	}
	return fmt.Sprintf("%d writes but the lease (%s)", t.writes(), strings.Join(parts, ", "))
}
