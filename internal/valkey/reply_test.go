package valkey

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReplyAccessors(t *testing.T) {
	refused := NewServerError("ERR no")
	list := ListReply(TextReply("a"), IntReply(1))
	for _, test := range []struct {
		name  string
		reply Reply
		text  string // "!" for an error
		num   int64  // -1 for an error
		list  int    // -1 for an error
	}{
		{"text", TextReply("abc"), "abc", -1, -1},
		{"digits", TextReply("42"), "42", 42, -1},
		{"integer", IntReply(42), "42", 42, -1},
		{"list", list, "!", -1, 2},
		{"null", NullReply(), "!", -1, -1},
		{"error", ErrReply(refused), "!", -1, -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			text, textErr := test.reply.Text()
			if textErr != nil {
				text = "!"
			}
			num, numErr := test.reply.Int()
			if numErr != nil {
				num = -1
			}
			items, listErr := test.reply.List()
			n := len(items)
			if listErr != nil {
				n = -1
			}
			if text != test.text || num != test.num || n != test.list {
				t.Errorf("text %q, integer %d, list of %d", text, num, n)
			}
			for _, err := range []error{textErr, numErr, listErr} {
				if err != nil && test.reply.Err() == nil && !errors.Is(err, ErrProtocol) {
					t.Errorf("wrong shape is %v, want an ErrProtocol", err)
				}
				if test.reply.Err() != nil && !errors.Is(err, refused) {
					t.Errorf("the server's refusal became %v", err)
				}
			}
			if got := test.reply.IsNull(); got != (test.name == "null") {
				t.Errorf("IsNull is %v", got)
			}
		})
	}
}

func TestReplyTextsAndMap(t *testing.T) {
	texts, err := ListReply(TextReply("a"), IntReply(1)).Texts()
	if diff := cmp.Diff([]string{"a", "1"}, texts); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	m, err := ListReply(TextReply("k"), IntReply(1), TextReply("l"), ListReply()).Map()
	if err != nil || len(m) != 2 || m["k"].num != 1 {
		t.Errorf("map %v, %v", m, err)
	}
	for name, r := range map[string]Reply{
		"odd":            ListReply(TextReply("k")),
		"key not a text": ListReply(ListReply(), TextReply("v")),
		"no list":        IntReply(1),
	} {
		if _, err := r.Map(); !errors.Is(err, ErrProtocol) {
			t.Errorf("map of %s: %v", name, err)
		}
	}
	if _, err := ListReply(ListReply()).Texts(); !errors.Is(err, ErrProtocol) {
		t.Errorf("texts of a list of lists: %v", err)
	}
}
