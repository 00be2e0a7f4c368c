package valkeysim

import (
	"cmp"
	"container/heap"
	"time"
)

// event is something that a server does or that arrives there at a time. The
// server and its count make the order of simultaneous events a matter of the
// seed alone.
type event struct {
	at     time.Duration
	server int
	count  uint64
	run    func()
}

// queue is a heap of events.
type queue []event

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool {
	a, b := q[i], q[j]
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.server, b.server), cmp.Compare(a.count, b.count)) < 0
}

func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push implements [heap.Interface].
func (q *queue) Push(e any) { *q = append(*q, e.(event)) }

// Pop implements [heap.Interface].
func (q *queue) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	(*q)[last] = event{}
	*q = (*q)[:last]
	return e
}

// until removes and returns the first event that is not later than end.
func (q *queue) until(end time.Duration) (event, bool) {
	if len(*q) == 0 || (*q)[0].at > end {
		return event{}, false
	}
	return heap.Pop(q).(event), true
}

// after runs f when d has gone by, on behalf of s.
func (s *Server) after(d time.Duration, f func()) {
	s.events++
	heap.Push(&s.world.queue, event{at: s.world.now + d, server: s.index, count: s.events, run: f})
}
