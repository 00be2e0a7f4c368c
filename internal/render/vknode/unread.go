package vknode

import (
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// annotationUnread is on the node's ConfigMap.
const annotationUnread = "valkey.io/unread-directives"

// Unread are directives whose line in the file was written or removed while a
// process was running that did not take the change. A server reads the file
// when it starts.
type Unread struct {
	// Run is the run ID of that process, "" if it was not known.
	Run string `json:"run,omitempty"`
	// Names of the directives, in order.
	Names []string `json:"names"`
}

// With returns u and more directives, for the process with this run ID.
func (u Unread) With(run string, names ...string) Unread {
	all := append(slices.Clone(u.Names), names...)
	slices.Sort(all)
	return Unread{Run: run, Names: slices.Compact(all)}
}

// UnreadIn returns what a ConfigMap says of it.
func UnreadIn(c *corev1.ConfigMap) Unread {
	var u Unread
	if err := json.Unmarshal([]byte(c.Annotations[annotationUnread]), &u); err != nil {
		return Unread{} // nothing was noted, or somebody overwrote it
	}
	return u
}

func (u Unread) annotations() map[string]string {
	if len(u.Names) == 0 {
		return nil
	}
	text, err := json.Marshal(u)
	if err != nil { // strings can be encoded
		panic(err)
	}
	return map[string]string{annotationUnread: string(text)}
}
