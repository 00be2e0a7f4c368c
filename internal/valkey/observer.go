package valkey

import (
	"fmt"
	"strings"
	"sync"
)

// Observer asks the servers of one cluster. Each of n servers describes all n;
// most of them say the same, in another order and with other times of pings. An
// Observer reads each line that is new once, and the answers of all servers
// share it. The zero value is ready; it may be used by several goroutines, and
// is thrown away with what it observed.
type Observer struct {
	mu    sync.RWMutex
	lines map[string]*Node // without the times
}

// parseNodes is [ParseNodes].
func (ob *Observer) parseNodes(text string) (Nodes, error) {
	nodes := make(Nodes, 0, strings.Count(text, "\n"))
	var scratch []byte
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		scratch = appendWithoutTimes(scratch[:0], line)
		n, err := ob.node(line, scratch)
		if err != nil {
			return nil, fmt.Errorf("%w: CLUSTER NODES line %q: %w", ErrProtocol, line, err)
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

func (ob *Observer) node(line string, key []byte) (*Node, error) {
	ob.mu.RLock()
	known := ob.lines[string(key)]
	ob.mu.RUnlock()
	if known != nil {
		return known, nil
	}
	// A copy, so that the line does not keep the whole answer in memory.
	n, err := parseNode(strings.Clone(line))
	if err != nil {
		return nil, err
	}
	ob.mu.Lock()
	defer ob.mu.Unlock()
	if known := ob.lines[string(key)]; known != nil {
		return known, nil
	}
	if ob.lines == nil {
		ob.lines = map[string]*Node{}
	}
	ob.lines[string(key)] = &n
	return &n, nil
}

// Ping and pong are the fields of these numbers, from 0.
const firstTime, afterTimes = 4, 6

// appendWithoutTimes appends line without its two times. A line with fewer
// fields is appended as it is.
func appendWithoutTimes(to []byte, line string) []byte {
	start, end := field(line, firstTime), field(line, afterTimes)
	if end < 0 {
		return append(to, line...)
	}
	to = append(to, line[:start]...)
	return append(to, line[end:]...)
}

// field returns where the n-th field begins of those that one space divides, or
// -1.
func field(line string, n int) int {
	at := 0
	for range n {
		space := strings.IndexByte(line[at:], ' ')
		if space < 0 {
			return -1
		}
		at += space + 1
	}
	return at
}
