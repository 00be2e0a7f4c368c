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

// dumpLine is a line about the content of a data file, of which the server prints
// many when it cannot load one. Some name keys or quote values.
var dumpLine = regexp.MustCompile(`^\[(info|additional info)\] |^\[offset \d+\] (AUX FIELD|Selecting|Checking|Check RDB)|^--- RDB ERROR DETECTED ---$`)

// secretLine quotes a directive of the configuration that may be a secret.
var secretLine = regexp.MustCompile(`^(>>> '(?:requirepass|masterauth|primaryauth|user|tls-(?:client-)?key-file-pass)\b).*`)

// crashEnd is how the report ends that a server prints when it crashes.
const crashEnd = "=== VALKEY BUG REPORT END."

// crashed stands for such a report.
const crashed = "the server crashed, and its log has a report of it"

// lastWords returns the end of what a container said before it ended, without
// what differs from one start to the next, and without anything about data.
func lastWords(log string) string {
	if strings.Contains(log, crashEnd) {
		return crashed
	}
	var lines []string
	for line := range strings.Lines(log) {
		line = strings.TrimSpace(logPrefix.ReplaceAllString(line, ""))
		if line != "" && !dumpLine.MatchString(line) {
			lines = append(lines, secretLine.ReplaceAllString(line, "$1 …'"))
		}
	}
	lines = lines[max(0, len(lines)-lastLines):]
	lines = slices.Compact(lines)
	text := strings.Join(lines, "; ")
	return strings.ToValidUTF8(text[max(0, len(text)-lastBytes):], "")
}
