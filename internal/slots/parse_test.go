package slots_test

import (
	"strings"
	"testing"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

func TestParse(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{"7", "7"},
		{"0-99 200 300-400", "0-99 200 300-400"},
		{" 5\t1 \n 3 ", "1 3 5"},
		{"10-20 0-9", "0-20"},
		{"1-1", "1"},
		{"0-16383", "0-16383"},
	} {
		got, err := slots.Parse(test.text)
		if err != nil {
			t.Errorf("Parse(%q): %v", test.text, err)
		} else if got.String() != test.want {
			t.Errorf("Parse(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct{ text, says string }{
		{"16384", "0 to 16383"},
		{"0-16384", "0 to 16383"},
		{"70000", "0 to 16383"},
		{"9-8", "ends before it starts"},
		{"-", "not a slot number"},
		{"-1", "not a slot number"},
		{"1-2-3", "not a slot number"},
		{"+1", "not a slot number"},
		{"1,2", "not a slot number"},
		{"0x1", "not a slot number"},
		{"1 b", "not a slot number"},
	} {
		got, err := slots.Parse(test.text)
		if err == nil {
			t.Errorf("Parse(%q) = %q, want an error", test.text, got)
			continue
		}
		if !strings.Contains(err.Error(), test.says) {
			t.Errorf("Parse(%q): %q does not say %q", test.text, err, test.says)
		}
		if !got.IsEmpty() {
			t.Errorf("Parse(%q) returns %q with its error", test.text, got)
		}
	}
}

// FuzzParse: what can be read is printed in its shortest form, which reads
// back to the same set and prints the same again.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "0-5460", "0-99 200 300-400", "5 4 3", "0-16383 7", "1-", "16384", "9-8", "\t1\n2 "} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := slots.Parse(text)
		if err != nil {
			return
		}
		again, err := slots.Parse(s.String())
		if err != nil {
			t.Fatalf("%q prints as %q: %v", text, s, err)
		}
		if !again.Equal(s) || again.String() != s.String() {
			t.Fatalf("%q prints as %q, which reads as %q", text, s, again)
		}
		if n := len(strings.Fields(text)); len(s.Ranges()) > n {
			t.Fatalf("%q has %d parts but %d ranges", text, n, len(s.Ranges()))
		}
	})
}
