package valkeynode

import (
	"regexp"
	"slices"
	"strings"
)

const (
	lastLines = 4   // of what a container said before it ended
	lastBytes = 512 // of those lines
)

// logPrefix is what begins each line of a server's log: process, role, time.
var logPrefix = regexp.MustCompile(`^\d+:[A-Z] \d+ \w+ \d+ [\d:.]+ [.*#-] `)

// lastWords returns the end of what a container said before it ended, without
// what differs from one start to the next.
func lastWords(log string) string {
	var lines []string
	for line := range strings.Lines(log) {
		if line = strings.TrimSpace(logPrefix.ReplaceAllString(line, "")); line != "" {
			lines = append(lines, line)
		}
	}
	lines = lines[max(0, len(lines)-lastLines):]
	lines = slices.Compact(lines)
	text := strings.Join(lines, "; ")
	return strings.ToValidUTF8(text[max(0, len(text)-lastBytes):], "")
}
