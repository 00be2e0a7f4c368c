package valkey

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
)

// Bounds of one reply. An address may have passed to any process, so nothing
// that is read decides how much memory or stack it costs. The largest honest
// replies are CLUSTER NODES (200 KB for 1000 nodes) and GETKEYSINSLOT.
const (
	maxReplyBytes = 16 << 20
	maxReplyDepth = 8
	itemCost      = 128 // what one element costs, whatever it holds
)

// decoder reads replies of RESP2. Nothing else is ever asked for, and with
// RESP2 a server says nothing unasked.
type decoder struct {
	r      *bufio.Reader
	budget int
}

// reply reads the next reply. An error means that the connection is unusable;
// what the server refused is in [Reply.Err].
func (d *decoder) reply() (Reply, error) {
	d.budget = maxReplyBytes
	return d.value(maxReplyDepth)
}

func (d *decoder) value(depth int) (Reply, error) {
	if depth == 0 {
		return Reply{}, fmt.Errorf("%w: nested too deeply", ErrProtocol)
	}
	if err := d.spend(itemCost); err != nil {
		return Reply{}, err
	}
	line, err := d.line()
	if err != nil {
		return Reply{}, err
	}
	if line == "" {
		return Reply{}, fmt.Errorf("%w: empty line", ErrProtocol)
	}
	switch rest := line[1:]; line[0] {
	case '+':
		return TextReply(rest), nil
	case '-':
		return ErrReply(NewServerError(rest)), nil
	case ':':
		n, err := strconv.ParseInt(rest, 10, 64)
		if err != nil {
			return Reply{}, fmt.Errorf("%w: integer %q", ErrProtocol, rest)
		}
		return IntReply(n), nil
	case '$':
		return d.bulk(rest)
	case '*':
		return d.list(rest, depth)
	}
	return Reply{}, fmt.Errorf("%w: %.40q", ErrProtocol, line)
}

func (d *decoder) bulk(size string) (Reply, error) {
	n, err := parseSize(size)
	if err != nil || n < 0 {
		return NullReply(), err
	}
	if err := d.spend(n); err != nil {
		return Reply{}, err
	}
	text, err := d.text(n)
	if err != nil {
		return Reply{}, unexpected(err)
	}
	end, err := d.line()
	if err == nil && end != "" {
		err = fmt.Errorf("%w: bulk string longer than announced", ErrProtocol)
	}
	return TextReply(text), err
}

// text reads n bytes. The buffer grows with what arrives, not with what was
// announced; it is used again, so that only the text itself is new.
func (d *decoder) text(n int) (string, error) {
	buf := textBuffers.Get().(*bytes.Buffer)
	defer textBuffers.Put(buf)
	buf.Reset()
	if _, err := io.CopyN(buf, d.r, int64(n)); err != nil {
		return "", err
	}
	return buf.String(), nil
}

var textBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func (d *decoder) list(size string, depth int) (Reply, error) {
	n, err := parseSize(size)
	if err != nil || n < 0 {
		return NullReply(), err
	}
	items := []Reply{}
	for range n {
		item, err := d.value(depth - 1)
		if err != nil {
			return Reply{}, err
		}
		items = append(items, item)
	}
	return ListReply(items...), nil
}

// parseSize reads a length; -1 is a null.
func parseSize(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < -1 {
		return 0, fmt.Errorf("%w: length %.40q", ErrProtocol, text)
	}
	return n, nil
}

// line reads up to the next CRLF, which is not part of the result.
func (d *decoder) line() (string, error) {
	var line []byte
	for {
		part, err := d.r.ReadSlice('\n')
		if err := d.spend(len(part)); err != nil {
			return "", err
		}
		line = append(line, part...)
		if err == nil {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			if len(line) > 0 {
				err = unexpected(err)
			}
			return "", err
		}
	}
	text, ok := bytes.CutSuffix(line, []byte("\r\n"))
	if !ok {
		return "", fmt.Errorf("%w: line without CRLF", ErrProtocol)
	}
	return string(text), nil
}

func (d *decoder) spend(n int) error {
	if n > d.budget {
		return fmt.Errorf("%w: reply larger than %d bytes", ErrProtocol, maxReplyBytes)
	}
	d.budget -= n
	return nil
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
