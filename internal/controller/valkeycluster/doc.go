// Package valkeycluster reconciles ValkeyClusters. It is the loop and nothing
// else: resolve and apply, observe, plan, act, report. What a cluster needs
// next is decided in internal/topology.
package valkeycluster
