// Package scenario runs the engine, which is observing, planning and acting,
// over servers without Kubernetes, and tells stories of whole lives of clusters
// in its tests.
//
// A [Fleet] plays Kubernetes: nodes, their pods, and the node controller. Its
// servers stand on a [Ground], which is real processes or a simulation, so that
// one story can be told on both. What is right is judged by [Fleet.Goal], which
// asks neither the planner nor its idea of health, and by the invariants of
// docs/design/safety.md after every step.
//
// The package is for tests only.
package scenario
