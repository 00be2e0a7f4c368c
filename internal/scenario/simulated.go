package scenario

import (
	"context"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/topology"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/valkeysim"
)

// Simulation is the ground of simulated servers.
type Simulation struct{ *valkeysim.World }

func simulation(seed uint64, version valkey.Version) Simulation {
	return Simulation{valkeysim.New(valkeysim.Options{Seed: seed, Version: version, NodeTimeout: 2 * time.Second})}
}

// Add implements [Ground].
func (s Simulation) Add(name topology.Name) Server { return simulated{s.World.Add(string(name))} }

// Inside implements [Ground].
func (s Simulation) Inside(_ context.Context, server Server) (valkey.Conn, error) {
	return s.Local(server.(simulated).Server)
}

// Pass implements [Ground].
func (s Simulation) Pass(d time.Duration) { s.Advance(d) }

type simulated struct{ *valkeysim.Server }

func (s simulated) Wipe() { s.SetDisk(valkeysim.Disk{}) }

func (s simulated) EmptyConf() { s.SetDisk(s.Disk().WithoutConf()) }

func (s simulated) CutConf() { s.SetDisk(s.Disk().WithConfCut()) }

func (s simulated) OutrankConf() bool {
	d, found := s.Disk().WithReplicaOutranked()
	s.SetDisk(d)
	return found
}

func (s simulated) CopyVolume(of Server) { s.SetDisk(of.(simulated).Disk()) }

func (s simulated) Renew() { s.SetDisk(s.Disk().Renewed(s.NewID())) }

func (s simulated) Value(key string) string {
	v, _ := s.Server.Value(key)
	return v
}

func (s simulated) Saved(key string) string {
	v, _ := s.Server.Saved(key)
	return v
}

// Isolate cuts the server off from every other.
func (s simulated) Isolate() { s.World().Isolate(s.Server) }

// Blind cuts the server off from operators and clients.
func (s simulated) Blind() { s.World().Cut(nil, s.Server) }
