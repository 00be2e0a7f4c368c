package valkeynode

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/valkey-operator/valkey-operator/internal/render/vknode"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// bringer brings directives to one running server. The server is asked, and no
// list of what it can change is kept: versions differ.
type bringer struct {
	conn    valkey.Conn
	process vknode.Process
	difference
	refusals refusals

	file     vknode.File
	unread   []string
	rejected map[string]string
}

// fate is what a running server makes of a directive.
type fate int

const (
	applied fate = iota // it has the value
	later               // it reads the value at its next start
	refused             // it will not have it
)

func (b *bringer) all(ctx context.Context, unread vknode.Unread) (settings, error) {
	b.rejected = map[string]string{}
	switch {
	case unread.Process == b.process:
		b.unread = slices.Clone(unread.Names)
	case unread.Pod == b.process.Pod:
		if err := b.confirm(ctx, unread.Names); err != nil {
			return settings{}, err
		}
	default: // a new pod got the file as it is
	}
	for _, name := range b.changed {
		if err := b.change(ctx, name); err != nil {
			return settings{}, err
		}
	}
	for _, name := range b.removed {
		delete(b.file, name)
		b.unread = append(b.unread, name) // its default is not known
	}
	return settings{file: b.file, unread: vknode.NewUnread(b.process, b.unread...), rejected: b.rejected}, nil
}

// confirm deals with what an earlier process in the same pod had not read. The
// one that runs now has read the file, but perhaps the pod's copy from before.
func (b *bringer) confirm(ctx context.Context, names []string) error {
	for _, name := range names {
		if _, wanted := b.want[name]; !wanted || vknode.IsStatement(name) || slices.Contains(b.changed, name) {
			continue
		}
		if err := b.change(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// change has the server take the wanted value of one directive, and the file
// follow.
func (b *bringer) change(ctx context.Context, name string) error {
	f, words, err := b.set(ctx, name, b.want[name])
	if err != nil {
		return err
	}
	switch f {
	case refused:
		b.rejected[name] = words
		if b.file[name] == b.lines[name] { // the next start would fail
			delete(b.file, name)
		}
		return nil
	case later:
		b.unread = append(b.unread, name)
	case applied:
		b.unread = slices.DeleteFunc(b.unread, func(n string) bool { return n == name })
	}
	b.file[name] = b.lines[name]
	return nil
}

func (b *bringer) set(ctx context.Context, name, value string) (fate, string, error) {
	if vknode.IsStatement(name) {
		return later, "", nil
	}
	if words, known := b.refusals.words(name, value); known {
		return refused, words, nil
	}
	has, err := valkey.ConfigGet(ctx, b.conn, name)
	if err != nil {
		return 0, "", err
	}
	if now, exists := has[name]; exists && sameValue(now, value) {
		return applied, "", nil
	}
	err = valkey.ConfigSet(ctx, b.conn, map[string]string{name: value})
	var config *valkey.ConfigError
	switch {
	case err == nil:
		return applied, "", nil
	case !errors.As(err, &config):
		return 0, "", err
	case config.Problem == valkey.ConfigImmutable, config.Problem == valkey.ConfigProtected:
		if strings.EqualFold(has[name], value) { // words such as YES
			return applied, "", nil
		}
		return later, "", nil
	}
	b.refusals.note(name, value, config.Words)
	return refused, config.Words, nil
}
