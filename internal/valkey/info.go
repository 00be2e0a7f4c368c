package valkey

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Info is the answer to INFO: every field by its name, of all sections that
// were asked for (no name is used twice).
type Info map[string]string

// ParseInfo reads "name:value" lines; section titles and anything else are
// skipped.
func ParseInfo(text string) Info {
	info := Info{}
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		if ok && !strings.HasPrefix(name, "#") {
			info[name] = value
		}
	}
	return info
}

// fieldReader reads numbers and keeps the first error. An absent field is
// zero: versions differ in what they print.
type fieldReader struct {
	fields Info
	err    error
}

func (f *fieldReader) int(name string) int64 {
	return parseField(f, name, func(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) })
}

func (f *fieldReader) uint(name string) uint64 {
	return parseField(f, name, func(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) })
}

func (f *fieldReader) port(name string) uint16 {
	n := parseField(f, name, func(text string) (uint64, error) { return strconv.ParseUint(text, 10, 16) })
	return uint16(n) //nolint:gosec // parsed as 16 bits
}

// seconds is a duration; servers print -1 for "never", which stays negative.
func (f *fieldReader) seconds(name string) time.Duration {
	return time.Duration(f.int(name)) * time.Second
}

func (f *fieldReader) bool(name string) bool { return f.fields[name] == "1" }

func parseField[T any](f *fieldReader, name string, parse func(string) (T, error)) T {
	var zero T
	text, ok := f.fields[name]
	if !ok {
		return zero
	}
	n, err := parse(text)
	if err != nil {
		if f.err == nil {
			f.err = fmt.Errorf("%w: field %s: %w", ErrProtocol, name, err)
		}
		return zero
	}
	return n
}
