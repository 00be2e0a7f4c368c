package slots

import "slices"

// Union is the slots in a or b.
func (a Set) Union(b Set) Set { return normalise(slices.Concat(a.ranges, b.ranges)) }

// Intersect is the slots in both a and b.
func (a Set) Intersect(b Set) Set {
	var both []Range
	for i, j := 0, 0; i < len(a.ranges) && j < len(b.ranges); {
		x, y := a.ranges[i], b.ranges[j]
		if r := (Range{max(x.First, y.First), min(x.Last, y.Last)}); r.First <= r.Last {
			both = append(both, r)
		}
		if x.Last < y.Last {
			i++
		} else {
			j++
		}
	}
	return Set{both}
}

// Minus is the slots in a that are not in b.
func (a Set) Minus(b Set) Set { return a.Intersect(b.complement()) }

// complement is every slot that is not in s.
func (s Set) complement() Set {
	var gaps []Range
	next := Slot(0)
	for _, r := range s.ranges {
		if r.First > next {
			gaps = append(gaps, Range{next, r.First - 1})
		}
		next = r.Last + 1
	}
	if next < Total {
		gaps = append(gaps, Range{next, Total - 1})
	}
	return Set{gaps}
}

// First is the n lowest slots of s, or all of s when it has fewer.
func (s Set) First(n int) Set {
	var head []Range
	for _, r := range s.ranges {
		if n <= 0 {
			break
		}
		if n < r.Count() {
			r.Last = r.First + Slot(n-1) //nolint:gosec // fewer than are in r
		}
		head = append(head, r)
		n -= r.Count()
	}
	return Set{head}
}
