package vknode

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/valkeytest"
)

func TestLine(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"maxmemory", "100mb", "maxmemory 100mb"},
		{"save", "900 1 300 10", `save "900 1 300 10"`},
		{"save", "", `save ""`},
		{"primaryauth", `a "b" \c`, `primaryauth "a \"b\" \\c"`},
		{"loadmodule", "/m.so A 1", "loadmodule /m.so A 1"},
		{"include", "/etc/valkey-secrets/auth.conf", "include /etc/valkey-secrets/auth.conf"},
		{"logfile", "#x", `logfile "#x"`},
	} {
		got, err := line(c.name, c.value)
		if err != nil || got != c.want {
			t.Errorf("line(%q, %q) = %q, %v; want %q", c.name, c.value, got, err, c.want)
		}
	}
}

func TestLineThatWouldBecomeTwoIsRefused(t *testing.T) {
	for _, c := range []struct{ name, value string }{
		{"maxmemory", "1\nrequirepass x"},
		{"maxmemory", "1\rrequirepass x"},
		{"maxmemory", "1\x00"},
		{"include", "/a\ninclude /b"},
		{"maxmemory 1\nrequirepass", "x"},
		{"Maxmemory", "1"},
		{"", "1"},
	} {
		if got, err := line(c.name, c.value); err == nil {
			t.Errorf("line(%q, %q) = %q; want an error", c.name, c.value, got)
		}
	}
}

// Every value comes back from a real server as it was written, also those with
// several values.
func TestServersReadBackWhatWasWritten(t *testing.T) {
	strings := []string{
		`plain`, `with space`, ` leading and trailing `, `"quoted"`, `'single'`, `back\slash`, `\n`, `\x41`, `#`, `a#b`,
		"tab\there", `ü`, `$HOME`, `%s`, `{title}`, `"`, `\`, `\"`, `a  b`, `'`, "\x01\x7f",
	}
	lists := map[string]string{
		"save":                              "900 1 300 10",
		"oom-score-adj-values":              "0 200 800",
		"latency-tracking-info-percentiles": "50 99",
		"notify-keyspace-events":            "",
		"client-output-buffer-limit":        "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60",
	}
	valkeytest.Each(t, func(t *testing.T, bin valkeytest.Binary) {
		for _, value := range strings {
			readBack(t, bin, map[string]string{"masterauth": value})
		}
		readBack(t, bin, lists)
	})
}

func readBack(t *testing.T, bin valkeytest.Binary, directives map[string]string) {
	t.Helper()
	file, err := Render(directives)
	if err != nil {
		t.Fatal(err)
	}
	var settings []string
	for _, l := range file {
		settings = append(settings, l)
	}
	server := valkeytest.Start(t, bin, 1, valkeytest.Options{Settings: settings})[0]
	defer server.Kill()
	for name, want := range directives {
		got, err := valkey.ConfigGet(context.Background(), server.Conn(t), name)
		if err != nil || got[name] != want {
			t.Errorf("%s was written as %s and read back as %q, %v; want %q", name, file[name], got[name], err, want)
		}
	}
}

// FuzzLine checks that what is written is one line which, read as the server
// splits it, is the name and the value.
func FuzzLine(f *testing.F) {
	f.Add("maxmemory", `a "b" \c`)
	f.Add("save", "900 1")
	f.Fuzz(func(t *testing.T, name, value string) {
		l, err := line(name, value)
		if err != nil || IsStatement(name) {
			return
		}
		if strings.ContainsAny(l, "\r\n") {
			t.Fatalf("several lines: %q", l)
		}
		words, err := split(l)
		if err != nil || len(words) != 2 || words[0] != name || words[1] != value {
			t.Fatalf("%q reads as %q, %v", l, words, err)
		}
	})
}

// split reads a line as servers do (sds.c, sdssplitargs), as far as it concerns
// what line writes.
func split(l string) ([]string, error) {
	name, rest, _ := strings.Cut(l, " ")
	if !strings.HasPrefix(rest, `"`) {
		return []string{name, rest}, nil
	}
	var value strings.Builder
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '"':
			if i != len(rest)-1 {
				return nil, fmt.Errorf("text after the closing quote: %q", rest[i:])
			}
			return []string{name, value.String()}, nil
		case '\\':
			i++
			if i == len(rest) || (rest[i] != '\\' && rest[i] != '"') {
				return nil, fmt.Errorf("an escape that means something else at %d", i)
			}
		}
		value.WriteByte(rest[i])
	}
	return nil, fmt.Errorf("no closing quote")
}
