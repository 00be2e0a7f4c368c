package valkey

import "strings"

// Flags are what CLUSTER NODES says about a node. Flags of later versions are
// ignored.
type Flags uint16

const (
	// Myself is the server that was asked.
	Myself Flags = 1 << iota
	// FlagPrimary ("master") has slots or may have.
	FlagPrimary
	// FlagReplica ("slave") copies a primary.
	FlagReplica
	// PossiblyFailed ("fail?") does not answer the server that was asked.
	PossiblyFailed
	// Failed ("fail") does not answer a majority of primaries.
	Failed
	// Handshake was met but has not answered; its ID is random.
	Handshake
	// NoAddr has no known address.
	NoAddr
	// NoFailover never promotes itself.
	NoFailover
)

// flagWords are the words of cluster_legacy.c, in the order it prints them.
var flagWords = []struct {
	flag Flags
	word string
}{
	{Myself, "myself"}, {FlagPrimary, "master"}, {FlagReplica, "slave"}, {PossiblyFailed, "fail?"}, {Failed, "fail"},
	{Handshake, "handshake"}, {NoAddr, "noaddr"}, {NoFailover, "nofailover"},
}

// Has reports whether all of the given flags are set.
func (f Flags) Has(flags Flags) bool { return f&flags == flags }

// String is what a server prints: words with commas, or "noflags".
func (f Flags) String() string {
	var words []string
	for _, w := range flagWords {
		if f.Has(w.flag) {
			words = append(words, w.word)
		}
	}
	if len(words) == 0 {
		return "noflags"
	}
	return strings.Join(words, ",")
}

func parseFlags(text string) Flags {
	var f Flags
	for word := range strings.SplitSeq(text, ",") {
		for _, w := range flagWords {
			if w.word == word {
				f |= w.flag
			}
		}
	}
	return f
}
