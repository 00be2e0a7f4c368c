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
	Process
	// Names of the directives, in order.
	Names []string `json:"names"`
}

// Process is one start of a server.
type Process struct {
	// Pod is the UID of its pod, "" if there was none.
	Pod string `json:"pod,omitempty"`
	// Run is its run ID, "" if it was not known.
	Run string `json:"run,omitempty"`
}

// NewUnread returns what the process has not read.
func NewUnread(p Process, names ...string) Unread {
	all := slices.Clone(names)
	slices.Sort(all)
	return Unread{Process: p, Names: slices.Compact(all)}
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
