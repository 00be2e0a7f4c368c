// Package act carries out what was decided elsewhere: writes to Kubernetes and
// commands to Valkey servers.
//
// It may know both kinds of client, and how to do one thing safely and more
// than once. It must not know why something is done, or in which order.
package act
