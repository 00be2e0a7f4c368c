package valkey

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// compareReplies looks inside; errors are equal when they say the same.
var compareReplies = cmp.Options{
	cmp.AllowUnexported(Reply{}),
	cmpopts.EquateEmpty(),
	cmp.Comparer(func(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) }),
}

func decode(text string) (Reply, error) {
	d := decoder{r: bufio.NewReaderSize(strings.NewReader(text), 64)}
	return d.reply()
}

func TestDecode(t *testing.T) {
	long := strings.Repeat("x", 1000) // longer than the buffer
	for _, test := range []struct {
		text string
		want Reply
	}{
		{"+OK\r\n", TextReply("OK")},
		{"+\r\n", TextReply("")},
		{"+" + long + "\r\n", TextReply(long)},
		{"-ERR no\r\n", ErrReply(&ServerError{Code: "ERR", Message: "no"})},
		{":-7\r\n", IntReply(-7)},
		{"$0\r\n\r\n", TextReply("")},
		{"$5\r\na\r\nbc\r\n", TextReply("a\r\nbc")},
		{"$1000\r\n" + long + "\r\n", TextReply(long)},
		{"$-1\r\n", NullReply()},
		{"*-1\r\n", NullReply()},
		{"*0\r\n", ListReply()},
		{"*3\r\n:1\r\n$-1\r\n*1\r\n-NOPERM x\r\n", ListReply(IntReply(1), NullReply(), ListReply(ErrReply(&ServerError{Code: "NOPERM", Message: "x"})))},
	} {
		got, err := decode(test.text)
		if err != nil {
			t.Errorf("%.40q: %v", test.text, err)
			continue
		}
		if diff := cmp.Diff(test.want, got, compareReplies); diff != "" {
			t.Errorf("%.40q (-want +got):\n%s", test.text, diff)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, text := range []string{
		"\r\n", "220 mail ready\r\n", "HTTP/1.1 400 Bad Request\r\n", "+OK\n", ":\r\n", ":1.5\r\n", ":abc\r\n",
		"$-5\r\n", "$abc\r\n", "$99999999999\r\n", "$3\r\nabcdef\r\n", "*-2\r\n", "*x\r\n",
		"%1\r\n+a\r\n+b\r\n", "_\r\n", ">1\r\n+x\r\n", // RESP3, which is never asked for
		strings.Repeat("*1\r\n", 100000),
	} {
		if r, err := decode(text); !errors.Is(err, ErrProtocol) {
			t.Errorf("%.40q: %v, %v; want an ErrProtocol", text, r, err)
		}
	}
}

func TestDecodeEndsInTheMiddle(t *testing.T) {
	for _, text := range []string{"+OK", "$5\r\nab", "$5\r\n", "*2\r\n+a\r\n+", "$2\r\nab"} {
		if _, err := decode(text); !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
			t.Errorf("%q: %v, want an end of file", text, err)
		}
	}
}

// endless repeats its text for ever.
type endless struct {
	text string
	at   int
}

func (e *endless) Read(buf []byte) (int, error) {
	for i := range buf {
		buf[i] = e.text[e.at]
		e.at = (e.at + 1) % len(e.text)
	}
	return len(buf), nil
}

// Whatever is announced or sent, one reply costs a bounded amount of memory.
func TestDecodeIsBounded(t *testing.T) {
	for name, r := range map[string]io.Reader{
		"endless line":            &endless{text: "+xxxxxxxx"},
		"endless array":           io.MultiReader(strings.NewReader("*1000000000\r\n"), &endless{text: ":1\r\n"}),
		"arrays of small strings": io.MultiReader(strings.NewReader("*1000000000\r\n"), &endless{text: "$1\r\nx\r\n"}),
		"array of long lines":     io.MultiReader(strings.NewReader("*1000000000\r\n"), &endless{text: "+" + strings.Repeat("x", 4000) + "\r\n"}),
		"announced, never sent":   io.MultiReader(strings.NewReader("$16000000\r\n")),
	} {
		t.Run(name, func(t *testing.T) {
			var before, behind runtime.MemStats
			runtime.ReadMemStats(&before)
			d := decoder{r: bufio.NewReaderSize(r, readBuffer)}
			_, err := d.reply()
			runtime.ReadMemStats(&behind)
			if err == nil {
				t.Fatal("was read")
			}
			if grown := behind.TotalAlloc - before.TotalAlloc; grown > 8*maxReplyBytes {
				t.Errorf("allocated %d MiB before it gave up: %v", grown>>20, err)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*.resp")
	if err != nil || len(files) == 0 {
		f.Fatalf("no corpus: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("*2\r\n$-1\r\n-ERR unknown command 'x', with args beginning with: 'y'\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := decode(text)
		if err != nil {
			return
		}
		again, err := decode(respText(r))
		if err != nil {
			t.Fatalf("%q does not read back: %v", respText(r), err)
		}
		if diff := cmp.Diff(r, again, compareReplies); diff != "" {
			t.Fatalf("another reply (-first +again):\n%s", diff)
		}
	})
}

// respText is r as a server sends it.
func respText(r Reply) string {
	if r.err != nil {
		return "-" + r.err.Error() + "\r\n"
	}
	switch r.kind {
	case kindText:
		return fmt.Sprintf("$%d\r\n%s\r\n", len(r.text), r.text)
	case kindInt:
		return fmt.Sprintf(":%d\r\n", r.num)
	case kindList:
		text := fmt.Sprintf("*%d\r\n", len(r.items))
		for _, item := range r.items {
			text += respText(item)
		}
		return text
	}
	return "$-1\r\n"
}
