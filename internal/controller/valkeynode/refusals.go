package valkeynode

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// refusalMemory keeps what servers refused, so that a refused value is not
// tried again in each pass. Nothing is lost with it: the server is asked again.
// It may be used by several goroutines; what it returns for one node by one.
type refusalMemory struct {
	mu  sync.Mutex
	own map[types.NamespacedName]refusals
}

// refusals are those of one process, by name of the directive.
type refusals struct {
	run string
	all map[string]refusal
}

type refusal struct{ value, words string }

func (m *refusalMemory) of(node types.NamespacedName, run string) refusals {
	m.mu.Lock()
	defer m.mu.Unlock()
	known, ok := m.own[node]
	if !ok || known.run != run {
		known = refusals{run: run, all: map[string]refusal{}}
		m.own[node] = known
	}
	return known
}

func (m *refusalMemory) forget(node types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.own, node)
}

// words returns why the server refused the value, if it did.
func (r refusals) words(name, value string) (string, bool) {
	known, ok := r.all[name]
	return known.words, ok && known.value == value
}

func (r refusals) note(name, value, words string) { r.all[name] = refusal{value: value, words: words} }
