package valkey

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// ConfigProblem is why CONFIG SET refused a parameter.
type ConfigProblem string

const (
	// ConfigUnknown: this version has no such parameter.
	ConfigUnknown ConfigProblem = "unknown"
	// ConfigImmutable: the parameter is read at start only.
	ConfigImmutable ConfigProblem = "immutable"
	// ConfigProtected: the parameter may be changed by a local admin only.
	ConfigProtected ConfigProblem = "protected"
	// ConfigInvalid: the value is refused; Words say why.
	ConfigInvalid ConfigProblem = "invalid"
)

// ConfigError is a CONFIG SET that was refused. Nothing of it was applied.
type ConfigError struct {
	Parameter string // the one at fault, as the server named it; may be empty
	Problem   ConfigProblem
	Words     string // the server's own, for people: "argument must be a memory value"
	Err       *ServerError
}

func (e *ConfigError) Error() string {
	return fmt.Sprintf("parameter %q is %s: %s", e.Parameter, e.Problem, e.Words)
}

// Unwrap is the server's error.
func (e *ConfigError) Unwrap() error {
	if e.Err == nil {
		return nil
	}
	return e.Err
}

// Valkey prints one of two forms (config.c, configSetCommand).
var (
	configUnknown = regexp.MustCompile(`^Unknown option or number of arguments for CONFIG SET - '([^']*)'`)
	configFailed  = regexp.MustCompile(`^CONFIG SET failed \(possibly related to argument '([^']*)'\) - (.*)`)
)

// configError gives err its type if it is about a parameter.
func configError(err error) error {
	var server *ServerError
	if !errors.As(err, &server) {
		return err
	}
	if m := configUnknown.FindStringSubmatch(server.Message); m != nil {
		return &ConfigError{Parameter: m[1], Problem: ConfigUnknown, Words: server.Message, Err: server}
	}
	m := configFailed.FindStringSubmatch(server.Message)
	if m == nil {
		return err
	}
	return &ConfigError{Parameter: m[1], Problem: configProblem(m[2]), Words: m[2], Err: server}
}

func configProblem(words string) ConfigProblem {
	switch {
	case strings.HasPrefix(words, "can't set immutable config"):
		return ConfigImmutable
	case strings.HasPrefix(words, "can't set protected config"):
		return ConfigProtected
	}
	return ConfigInvalid
}
