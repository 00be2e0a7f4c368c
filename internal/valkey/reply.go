package valkey

import (
	"fmt"
	"strconv"
)

// Reply is what a server answered to one command, or why it did not. Each
// accessor returns [Reply.Err] if that is set, and an [ErrProtocol] if the
// answer has another shape.
type Reply struct {
	kind  kind
	text  string
	num   int64
	items []Reply
	err   error
}

type kind uint8

const (
	kindNull kind = iota
	kindText
	kindInt
	kindList
)

func (k kind) String() string {
	return [...]string{"nothing", "text", "an integer", "a list"}[k]
}

// The constructors are for decoders, simulations and tests.

// NullReply is the answer "nothing there".
func NullReply() Reply { return Reply{} }

// TextReply is a status such as OK or a bulk string.
func TextReply(text string) Reply { return Reply{kind: kindText, text: text} }

// IntReply is an integer.
func IntReply(n int64) Reply { return Reply{kind: kindInt, num: n} }

// ListReply is an array; a map is an array of alternating keys and values.
func ListReply(items ...Reply) Reply { return Reply{kind: kindList, items: items} }

// ErrReply is a command that failed with err, which must not be nil: a
// [ServerError] when the server refused it, a [NetError] when it was not
// answered.
func ErrReply(err error) Reply { return Reply{err: err} }

// Err is nil when the server executed the command and answered.
func (r Reply) Err() error { return r.err }

// IsNull reports whether the server answered "nothing there".
func (r Reply) IsNull() bool { return r.err == nil && r.kind == kindNull }

// Text is a status, a bulk string, or an integer's digits.
func (r Reply) Text() (string, error) {
	if r.err == nil && r.kind == kindInt {
		return strconv.FormatInt(r.num, 10), nil
	}
	return r.text, r.want(kindText)
}

// Int is an integer, also one that came as text.
func (r Reply) Int() (int64, error) {
	if r.err == nil && r.kind == kindText {
		n, err := strconv.ParseInt(r.text, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%w: %q is not an integer", ErrProtocol, r.text)
		}
		return n, nil
	}
	return r.num, r.want(kindInt)
}

// List is the elements of an array.
func (r Reply) List() ([]Reply, error) { return r.items, r.want(kindList) }

// Texts is the elements of an array of strings.
func (r Reply) Texts() ([]string, error) {
	items, err := r.List()
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(items))
	for i, item := range items {
		if texts[i], err = item.Text(); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// Map is an array of alternating keys and values.
func (r Reply) Map() (map[string]Reply, error) {
	items, err := r.List()
	if err != nil {
		return nil, err
	}
	if len(items)%2 != 0 {
		return nil, fmt.Errorf("%w: a map with %d elements", ErrProtocol, len(items))
	}
	m := make(map[string]Reply, len(items)/2)
	for i := 0; i < len(items); i += 2 {
		key, err := items[i].Text()
		if err != nil {
			return nil, err
		}
		m[key] = items[i+1]
	}
	return m, nil
}

func (r Reply) want(k kind) error {
	if r.err != nil {
		return r.err
	}
	if r.kind != k {
		return fmt.Errorf("%w: the server answered %v where %v was expected", ErrProtocol, r.kind, k)
	}
	return nil
}
