// Package scenario runs the engine, which is observing, planning and acting,
// over servers without Kubernetes, and tells stories of whole lives of
// clusters in its tests. It is for tests only.
package scenario
