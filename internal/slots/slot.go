package slots

// Total is the number of hash slots of every Valkey cluster.
const Total = 16384

// Slot is a hash slot number, 0 to [Total]-1.
type Slot uint16

// Valid reports whether s is one of the cluster's slots.
func (s Slot) Valid() bool { return s < Total }

// Range is the slots First to Last, both included.
type Range struct{ First, Last Slot }

// Valid reports whether r has at least one slot, all of them the cluster's.
func (r Range) Valid() bool { return r.First <= r.Last && r.Last.Valid() }

// Count is the number of slots in r.
func (r Range) Count() int { return int(r.Last) - int(r.First) + 1 }
