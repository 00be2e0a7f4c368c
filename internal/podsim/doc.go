// Package podsim stands in for everything between StatefulSets and Valkey
// servers: the controller that makes pods, a scheduler, kubelets, and the
// servers in the pods. The servers are simulated and answer on sockets of the
// loopback network, so that an operator reaches them as it reaches real ones.
// Thousands of them fit on a small machine.
//
// It runs in a process of its own, so that what the operator costs can be told
// from what the stand-in costs. A test binary becomes that process when it is
// started for it:
//
//	func TestMain(m *testing.M) {
//		if podsim.IsChild() {
//			podsim.Child()
//			return
//		}
//		…
//	}
//
//	pods := podsim.Start(t, api.Config)
//	pods.Strike(t, "namespace/cluster", podsim.Hang)
//	counts := pods.Counts(t)
//
// Pods have no volumes and no images, and their containers never end.
//
// The package is for tests only.
package podsim
