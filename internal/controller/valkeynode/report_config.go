package valkeynode

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

// configuration is the condition ConfigApplied. ready is the one of the node.
func configuration(s *seen, set settings, ready verdict) verdict {
	switch {
	case len(set.rejected) > 0:
		return no(v1alpha1.ReasonConfigRejected, rejections(set.rejected))
	case set.invalid != nil:
		return no(v1alpha1.ReasonConfigRejected, set.invalid.Error())
	case set.why != nil:
		return unknown(v1alpha1.ReasonServerUnreachable, fmt.Sprintf("%s: the server could not be asked", listed(set.held)))
	case len(set.held) > 0:
		return unknown(v1alpha1.ReasonServerUnreachable, fmt.Sprintf("%s: applied as soon as the server answers", listed(set.held)))
	case ready.reason == v1alpha1.ReasonCrashLoop:
		return no(ready.reason, ready.message)
	case s.server == nil || !s.server.Reachable:
		return unknown(ready.reason, "the server reads the configuration when it starts")
	case len(set.unread.Names) > 0:
		return no(v1alpha1.ReasonRestartRequired, fmt.Sprintf("%s: applied when the server is restarted", listed(set.unread.Names)))
	}
	return yes(v1alpha1.ReasonApplied, "the server has every directive")
}

// rejections quotes the server about each directive that it refuses.
func rejections(rejected map[string]string) string {
	var said []string
	for _, name := range slices.Sorted(maps.Keys(rejected)) {
		said = append(said, fmt.Sprintf("the server refuses %s: %s", name, rejected[name]))
	}
	return strings.Join(said, "; ")
}

func listed(names []string) string { return strings.Join(names, ", ") }
