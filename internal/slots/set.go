package slots

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"sort"
)

// Set is an immutable set of slots. The zero value is the empty set.
//
// Two sets with the same slots have the same representation: ranges sorted,
// disjoint, and with a gap between neighbours. Compare sets with [Set.Equal].
type Set struct{ ranges []Range }

// Of is the set of all slots in the given ranges, which may overlap and come
// in any order. It panics on a range that is not [Range.Valid]: text from
// outside goes through [Parse], which returns errors.
func Of(ranges ...Range) Set {
	for _, r := range ranges {
		if !r.Valid() {
			panic(fmt.Sprintf("slots: no such range: %d-%d", r.First, r.Last))
		}
	}
	return normalise(slices.Clone(ranges))
}

// All is the set of every slot.
func All() Set { return Set{[]Range{{0, Total - 1}}} }

// normalise sorts ranges in place and joins those that overlap or touch.
func normalise(ranges []Range) Set {
	if len(ranges) == 0 {
		return Set{}
	}
	slices.SortFunc(ranges, func(a, b Range) int { return cmp.Compare(a.First, b.First) })
	joined := ranges[:0]
	for _, r := range ranges {
		if n := len(joined); n > 0 && int(r.First) <= int(joined[n-1].Last)+1 {
			joined[n-1].Last = max(joined[n-1].Last, r.Last)
			continue
		}
		joined = append(joined, r)
	}
	return Set{slices.Clip(joined)}
}

// Ranges is the shortest list of ranges that makes up s, in ascending order.
// The caller owns it.
func (s Set) Ranges() []Range { return slices.Clone(s.ranges) }

// Count is the number of slots in s.
func (s Set) Count() int {
	n := 0
	for _, r := range s.ranges {
		n += r.Count()
	}
	return n
}

// IsEmpty reports whether s has no slot.
func (s Set) IsEmpty() bool { return len(s.ranges) == 0 }

// Equal reports whether s and other have the same slots.
func (s Set) Equal(other Set) bool { return slices.Equal(s.ranges, other.ranges) }

// Contains reports whether slot is in s.
func (s Set) Contains(slot Slot) bool {
	i := sort.Search(len(s.ranges), func(i int) bool { return s.ranges[i].Last >= slot })
	return i < len(s.ranges) && s.ranges[i].First <= slot
}

// Slots yields every slot of s in ascending order.
func (s Set) Slots() iter.Seq[Slot] {
	return func(yield func(Slot) bool) {
		for _, r := range s.ranges {
			for slot := r.First; slot <= r.Last; slot++ {
				if !yield(slot) {
					return
				}
			}
		}
	}
}
