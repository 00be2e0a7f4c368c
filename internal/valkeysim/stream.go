package valkeysim

import (
	"maps"
	"sort"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

// stream is a server's data set and the part of its history that it can still
// tell to replicas.
type stream struct {
	keys    map[string]string
	history string // master_replid
	older   string // master_replid2, shared up to olderEnd
	// offset is how far the history goes, olderEnd how far the older one.
	offset, olderEnd int64
	backlog          []op
	start            int64 // offset at which the backlog begins
}

// op is one write. An empty key is the primary's regular sign of life.
type op struct {
	key, value string
	end        int64 // offset after it
}

func newStream(s *Server) stream {
	return stream{keys: map[string]string{}, history: string(s.newID()), olderEnd: -1}
}

// resume takes over a saved data set.
func (s *stream) resume(d *snapshot) {
	s.keys, s.history, s.offset = maps.Clone(d.keys), d.history, d.offset
	s.backlog, s.start = nil, d.offset
	s.older, s.olderEnd = "", -1
}

// promote begins a history of its own; replicas of the older one can go on
// where it ended.
func (s *stream) promote(by *Server) {
	s.older, s.olderEnd = s.history, s.offset
	s.history = string(by.newID())
}

// write adds one operation of a primary.
func (s *stream) write(key, value string) {
	s.apply(op{key: key, value: value, end: s.offset + int64(40+len(key)+len(value))})
}

func (s *stream) apply(o op) {
	if o.key != "" {
		s.keys[o.key] = o.value
	}
	s.offset = o.end
	s.backlog = append(s.backlog, o)
}

// continues reports whether a replica that has history up to offset can go on
// from there.
func (s *stream) continues(history string, offset int64) bool {
	same := history == s.history || history == s.older && offset <= s.olderEnd
	return same && s.start <= offset && offset <= s.offset
}

// since is what came after offset.
func (s *stream) since(offset int64) []op {
	i := sort.Search(len(s.backlog), func(i int) bool { return s.backlog[i].end > offset })
	return s.backlog[i:]
}

// dropSlots deletes the keys of slots that the server does not own any more.
func (s *stream) dropSlots(lost slots.Set) {
	for key := range s.keys {
		if lost.Contains(slots.KeySlot(key)) {
			delete(s.keys, key)
		}
	}
}

// clear empties the data set.
func (s *stream) clear() {
	s.keys = map[string]string{}
	s.backlog, s.start = nil, s.offset
}
