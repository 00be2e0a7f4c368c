// Package valkeynode reconciles ValkeyNodes: one pod, its volume, its
// configuration, and what is observed of its server. It behaves the same under
// every parent, or none. It decides no role and sends no topology command.
//
// A pass observes (observe*.go), acts (in the order of act.go) on what small
// pure functions decide, and reports (report*.go). Whether a pod may be
// replaced is decided in guard.go and replace.go, which template a workload has
// in template.go, and when a node may go in leave.go.
package valkeynode
