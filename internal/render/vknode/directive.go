package vknode

import (
	"fmt"
	"regexp"
	"strings"
)

// statements are the directives that exist in the file only. They take several
// words, and the server splits their line itself; any other directive has one
// argument, which the server splits where it takes a list. (Measured on 8.0,
// 8.1 and 9.1: `save "900 1 300 10"` is read like `save 900 1 300 10`, while
// `loadmodule "a.so x"` looks for a file with a space in its name.)
var statements = map[string]bool{
	"include":        true,
	"loadmodule":     true,
	"rename-command": true,
	"user":           true,
}

// IsStatement reports whether the directive exists in files only, so that no
// running server can be asked for it.
func IsStatement(directive string) bool { return statements[directive] }

var (
	directiveName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
	plainArgument = regexp.MustCompile(`^[A-Za-z0-9/_.:,+@%*=-]+$`)
)

// line returns the directive as a line of valkey.conf, without the newline.
func line(name, value string) (string, error) {
	if !directiveName.MatchString(name) {
		return "", fmt.Errorf("%q is not the name of a directive", name)
	}
	if strings.ContainsAny(value, "\r\n\x00") {
		return "", fmt.Errorf("the value of %s contains a line break or a NUL", name)
	}
	if statements[name] {
		return name + " " + value, nil
	}
	return name + " " + quote(value), nil
}

// quote returns value as one argument that the server reads back unchanged.
func quote(value string) string {
	if plainArgument.MatchString(value) {
		return value
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}
