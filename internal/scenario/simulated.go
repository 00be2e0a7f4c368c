package scenario

import (
	"time"

	"github.com/valkey-operator/valkey-operator/internal/topology"
	"github.com/valkey-operator/valkey-operator/internal/valkeysim"
)

// Simulation is the ground of simulated servers.
type Simulation struct{ *valkeysim.World }

// Add implements [Ground].
func (s Simulation) Add(name topology.Name) Server { return simulated{s.World.Add(string(name))} }

// Pass implements [Ground].
func (s Simulation) Pass(d time.Duration) { s.Advance(d) }

type simulated struct{ *valkeysim.Server }

func (s simulated) Wipe() { s.SetDisk(valkeysim.Disk{}) }

func (s simulated) Value(key string) string {
	v, _ := s.Server.Value(key)
	return v
}

func (s simulated) Saved(key string) string {
	v, _ := s.Server.Saved(key)
	return v
}
