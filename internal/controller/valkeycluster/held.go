package valkeycluster

import (
	"errors"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/watch"
)

// held is what the watcher knows of its connections.
type held struct{ watcher *watch.Watcher }

// Closed implements [observe.Held].
func (h held) Closed(namespace, node, pod string) bool {
	return h.last(namespace, node, pod).Closed
}

// Silent implements [observe.Held].
func (h held) Silent(namespace, node, pod string) bool {
	return errors.Is(h.last(namespace, node, pod).Err, valkey.ErrTimeout)
}

// last is what was seen last of the server in that pod; zero if that is nothing.
func (h held) last(namespace, node, pod string) watch.Observation {
	last, seen := h.watcher.Last(watch.Key{Namespace: namespace, Name: node})
	if !seen || last.Pod != pod {
		return watch.Observation{}
	}
	return last
}
