// Package report says how a cluster does: status, conditions, events and when
// to look again. It is pure: all of it is computed from what was wanted, seen,
// planned and done in one pass.
package report
