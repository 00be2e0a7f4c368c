package valkeycluster

import "github.com/valkey-operator/valkey-operator/internal/watch"

// held is what the watcher knows of its connections.
type held struct{ watcher *watch.Watcher }

// Closed implements [observe.Held].
func (h held) Closed(namespace, node, pod string) bool {
	last, seen := h.watcher.Last(watch.Key{Namespace: namespace, Name: node})
	return seen && last.Closed && last.Pod == pod
}
