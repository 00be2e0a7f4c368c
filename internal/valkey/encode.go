package valkey

import "strconv"

// encode appends cmds as servers read them: each an array of bulk strings.
func encode(buf []byte, cmds []Command) []byte {
	for _, cmd := range cmds {
		buf = appendLine(buf, '*', len(cmd.Args))
		for _, arg := range cmd.Args {
			buf = appendLine(buf, '$', len(arg))
			buf = append(buf, arg...)
			buf = append(buf, '\r', '\n')
		}
	}
	return buf
}

func appendLine(buf []byte, kind byte, n int) []byte {
	buf = append(buf, kind)
	buf = strconv.AppendInt(buf, int64(n), 10)
	return append(buf, '\r', '\n')
}
