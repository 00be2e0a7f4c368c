// Package valkey talks to one Valkey server at a time.
//
// It knows dialing, TLS, authentication, deadlines, the wire protocol, what
// servers answer and what their errors mean. It must not know Kubernetes, and
// it decides nothing: a function here is one command, or one batch of reads.
//
//   - [TCP] reaches real servers; a simulation implements the same [Network].
//   - [Pool] keeps connections for reuse and is itself a [Dialer].
//   - [Observe] asks a server everything the planner wants to know; an [Observer]
//     asks many that mostly say the same.
//   - The functions named after commands ([Meet], [AddSlots], [Forget], …)
//     change a server. Where it can be done they are idempotent: what was
//     already so is success.
//   - Everything that reads server text ([ParseNodes], [ParseInfo], …) is pure.
//
// Errors are typed ([ErrAuth], [ErrTimeout], [ServerError], [ConfigError], …)
// and work with errors.Is and errors.As; nothing above this package compares
// strings. Servers say master and slave; this package says primary and
// replica.
package valkey
