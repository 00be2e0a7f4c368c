package podsim

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

var errNoCommand = errors.New("not a command")

// readCommand reads what a client sends: an array of bulk strings.
func readCommand(r *bufio.Reader) ([]string, error) {
	n, err := readLength(r, '*')
	if err != nil {
		return nil, err
	}
	args := make([]string, n)
	for i := range args {
		size, err := readLength(r, '$')
		if err != nil {
			return nil, err
		}
		text := make([]byte, size+len("\r\n"))
		if _, err := io.ReadFull(r, text); err != nil {
			return nil, err
		}
		args[i] = string(text[:size])
	}
	if len(args) == 0 {
		return nil, errNoCommand
	}
	return args, nil
}

func readLength(r *bufio.Reader, kind byte) (int, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return 0, err
	}
	if line[0] != kind {
		return 0, fmt.Errorf("%w: %.40q", errNoCommand, line)
	}
	n, err := strconv.Atoi(strings.TrimSpace(line[1:]))
	if err != nil || n < 0 || n > 1<<20 {
		return 0, fmt.Errorf("%w: %.40q", errNoCommand, line)
	}
	return n, nil
}

// appendReply appends a reply as servers send it. It returns false for a
// command that is never answered.
func appendReply(to []byte, r valkey.Reply) ([]byte, bool) {
	var refused *valkey.ServerError
	switch err := r.Err(); {
	case errors.As(err, &refused):
		return fmt.Appendf(to, "-%v\r\n", refused), true
	case err != nil:
		return to, false
	case r.IsNull():
		return append(to, "$-1\r\n"...), true
	}
	if text, err := r.Text(); err == nil {
		return fmt.Appendf(to, "$%d\r\n%s\r\n", len(text), text), true
	}
	items, _ := r.List()
	to = fmt.Appendf(to, "*%d\r\n", len(items))
	var answered bool
	for _, item := range items {
		if to, answered = appendReply(to, item); !answered {
			return to, false
		}
	}
	return to, true
}
