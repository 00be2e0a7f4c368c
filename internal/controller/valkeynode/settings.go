package valkeynode

import (
	"context"
	"maps"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/valkey-operator/valkey-operator/internal/render/vknode"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// settings is where the directives of a node stand.
type settings struct {
	// file is what the ConfigMap should say. A change is written there once the
	// running server took it, or said that only a restart makes it take it.
	file vknode.File
	// unread are in the file, and the running server has not read them.
	unread vknode.Unread
	// rejected are refused by the running server, in its words. They are in no
	// file: the next start would fail.
	rejected map[string]string
	// held are not written yet because the server could not be asked; why is
	// what came of asking, or nil when it is not known to answer at all.
	held []string
	why  error
	// invalid are directives that cannot be written down.
	invalid error
}

// difference is what the directives of a node ask for that its file does not
// say.
type difference struct {
	want             map[string]string // directives
	lines, have      vknode.File
	changed, removed []string
}

func differenceOf(s *seen) (difference, error) {
	want := vknode.Directives(s.node)
	lines, invalid := vknode.Render(want)
	d := difference{want: want, lines: lines, have: vknode.File{}}
	if s.configMap != nil {
		d.have = vknode.ParseFile(s.configMap.Data[vknode.ConfigFileKey])
	}
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		if d.have[name] != lines[name] {
			d.changed = append(d.changed, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.have)) {
		if _, wanted := want[name]; !wanted {
			d.removed = append(d.removed, name)
		}
	}
	return d, invalid
}

func (d difference) names() []string { return append(slices.Clone(d.changed), d.removed...) }

// askLimit bounds the questions to one server about its directives.
const askLimit = 3 * time.Second

// settle brings directives that changed to the running server, and decides what
// the file says. It asks nothing when the file says what is wanted.
func (r *Reconciler) settle(ctx context.Context, s *seen) settings {
	d, invalid := differenceOf(s)
	if s.configMap == nil {
		return settings{file: d.lines, invalid: invalid}
	}
	unread := vknode.UnreadIn(s.configMap)
	switch {
	case len(d.names())+len(unread.Names) == 0:
		return settings{file: d.have, invalid: invalid}
	case !serverRuns(s.pod):
		// Nobody to ask: the next start reads the file, and says what it thinks
		// of it.
		return settings{file: d.taken(), unread: unreadBy(s, unread, d.names()), invalid: invalid}
	case s.server == nil || !s.server.Reachable:
		return settings{file: d.have, unread: unread, held: d.names(), invalid: invalid}
	}
	result, err := r.bring(ctx, s, d, unread)
	if err != nil {
		return settings{file: d.have, unread: unread, held: d.names(), why: err, invalid: invalid}
	}
	result.invalid = invalid
	return result
}

// unreadBy returns what the next process may not have read of changes that are
// written while none is running: a pod that exists has its copy of the file
// already, and it takes up to a minute until that is the new one.
func unreadBy(s *seen, unread vknode.Unread, changed []string) vknode.Unread {
	pod := s.process().Pod
	switch {
	case s.pod == nil:
		return vknode.Unread{}
	case len(changed) == 0:
		return unread
	case unread.Pod == pod:
		changed = append(changed, unread.Names...)
	}
	return vknode.NewUnread(vknode.Process{Pod: pod}, changed...)
}

// bring asks the running server about everything that differs.
func (r *Reconciler) bring(ctx context.Context, s *seen, d difference, unread vknode.Unread) (settings, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	conn, err := r.dial(ctx, s)
	if err != nil {
		return settings{}, err
	}
	defer conn.Close()
	b := &bringer{
		conn: conn, process: s.process(), difference: d, file: maps.Clone(d.have),
		refusals: r.refusals.of(client.ObjectKeyFromObject(s.node), s.server.RunID),
	}
	return b.all(ctx, unread)
}

// dial connects to the server of the node's pod.
func (r *Reconciler) dial(ctx context.Context, s *seen) (valkey.Conn, error) {
	target, err := r.target(ctx, s.node, serverAddr(s.node, s.pod))
	if err != nil {
		return nil, err
	}
	return r.Dialer.Dial(ctx, target)
}

// taken returns the file with every change taken over. A directive that cannot
// be written down keeps the line it had.
func (d difference) taken() vknode.File {
	file := maps.Clone(d.have)
	maps.Copy(file, d.lines)
	for _, name := range d.removed {
		delete(file, name)
	}
	return file
}
