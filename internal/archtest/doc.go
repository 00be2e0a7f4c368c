// Package archtest checks, as a test, that packages import only what the
// architecture lets them know.
package archtest
