// Package valkeysim simulates Valkey servers in cluster mode: membership and
// gossip, epochs, votes, failovers, replication, and what a disk keeps of them.
//
//	world := valkeysim.New(valkeysim.Options{Seed: 7})
//	a, b := world.Add("a"), world.Add("b")
//	a.Start()
//	b.Start()
//	conn, _ := world.Dial(ctx, valkey.Target{Addr: a.Addr()})
//	…
//	world.Advance(3 * time.Second)
//
// A [World] is a [valkey.Dialer], [valkey.Holder] and [valkey.Prober], and it
// answers in the servers' own words, so that everything above package valkey
// runs over it as it does over real servers. Time passes only in
// [World.Advance], where everything happens in one order that the seed decides.
// Commands take no time, and may come from several goroutines: every server
// draws from a source of chance of its own, so that the order in which
// different servers are asked does not matter.
//
// What servers do follows what was measured on real ones ("facts" in comments
// are the sections of docs/design/valkey-facts.md) and, between the
// measurements, the algorithms of the cluster specification. Scenarios in
// package scenario run on both and compare.
//
// The package is for tests only. It knows package valkey's types and slots, and
// nothing of planning or Kubernetes.
package valkeysim
