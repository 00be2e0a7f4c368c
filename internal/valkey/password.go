package valkey

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
)

// redacted stands wherever a secret would have been printed.
const redacted = "[redacted]"

// Password is a secret that prints as "[redacted]" with every verb, logger
// and encoder. The zero value is the empty password.
//
// The text is behind a pointer because fmt does not call methods on unexported
// fields: a struct of somebody else's that holds a Password prints an address.
type Password struct{ text *string }

// NewPassword wraps a secret.
func NewPassword(text string) Password {
	if text == "" {
		return Password{}
	}
	return Password{&text}
}

// Reveal is the secret itself, for the wire and for files servers read.
func (p Password) Reveal() string {
	if p.text == nil {
		return ""
	}
	return *p.text
}

// IsEmpty reports whether there is no password.
func (p Password) IsEmpty() bool { return p.text == nil }

// Equal reports whether both are the same secret.
func (p Password) Equal(other Password) bool { return p.Reveal() == other.Reveal() }

// String is "[redacted]".
func (p Password) String() string { return redacted }

// GoString is "[redacted]".
func (p Password) GoString() string { return redacted }

// Format prints "[redacted]" for every verb; without it %d would show the text.
func (p Password) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// LogValue logs "[redacted]".
func (p Password) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalJSON writes "[redacted]".
func (p Password) MarshalJSON() ([]byte, error) { return json.Marshal(redacted) }

// MarshalText writes "[redacted]".
func (p Password) MarshalText() ([]byte, error) { return []byte(redacted), nil }
