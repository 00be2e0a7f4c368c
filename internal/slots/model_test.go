package slots_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

// model is the obvious implementation: one bit a slot.
type model [slots.Total]bool

func modelOf(ranges []slots.Range) (m model) {
	for _, r := range ranges {
		for slot := r.First; slot <= r.Last; slot++ {
			m[slot] = true
		}
	}
	return m
}

func (m *model) slots() (in []slots.Slot) {
	for slot, is := range m {
		if is {
			in = append(in, slots.Slot(slot))
		}
	}
	return in
}

func combine(a, b *model, keep func(a, b bool) bool) (m model) {
	for i := range m {
		m[i] = keep(a[i], b[i])
	}
	return m
}

// anyRanges crowds at both ends of the slots, where mistakes are.
var anyRanges = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) slots.Range {
	bound := rapid.OneOf(rapid.Uint16Range(0, 40), rapid.Uint16Range(0, slots.Total-1), rapid.Uint16Range(slots.Total-40, slots.Total-1))
	a, b := slots.Slot(bound.Draw(t, "a")), slots.Slot(bound.Draw(t, "b"))
	return slots.Range{First: min(a, b), Last: max(a, b)}
}), 0, 12)

func check(t *rapid.T, what string, got slots.Set, want model) {
	t.Helper()
	if in := slices.Collect(got.Slots()); !slices.Equal(in, want.slots()) {
		t.Fatalf("%s is %q, the model has other slots", what, got)
	}
	ranges := got.Ranges()
	for i, r := range ranges {
		if !r.Valid() || i > 0 && int(ranges[i-1].Last)+1 >= int(r.First) {
			t.Fatalf("%s is not normalised: %v", what, ranges)
		}
	}
	if !got.Equal(slots.Of(ranges...)) {
		t.Fatalf("%s is not equal to itself", what)
	}
}

func TestSetAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		as, bs := anyRanges.Draw(t, "as"), anyRanges.Draw(t, "bs")
		a, b := slots.Of(as...), slots.Of(bs...)
		ma, mb := modelOf(as), modelOf(bs)

		check(t, "a", a, ma)
		check(t, "union", a.Union(b), combine(&ma, &mb, func(a, b bool) bool { return a || b }))
		check(t, "intersection", a.Intersect(b), combine(&ma, &mb, func(a, b bool) bool { return a && b }))
		check(t, "difference", a.Minus(b), combine(&ma, &mb, func(a, b bool) bool { return a && !b }))
		check(t, "a after all this", a, ma)

		if got, want := a.Count(), len(ma.slots()); got != want {
			t.Fatalf("Count %d, want %d", got, want)
		}
		if got, want := a.Equal(b), ma == mb; got != want {
			t.Fatalf("Equal %v, want %v", got, want)
		}
		if got, want := a.IsEmpty(), ma == (model{}); got != want {
			t.Fatalf("IsEmpty %v, want %v", got, want)
		}
		slot := slots.Slot(rapid.Uint16Range(0, slots.Total-1).Draw(t, "slot"))
		if got := a.Contains(slot); got != ma[slot] {
			t.Fatalf("Contains(%d) %v, want %v", slot, got, ma[slot])
		}
	})
}

func TestFirstAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranges := anyRanges.Draw(t, "ranges")
		n := rapid.IntRange(-1, slots.Total+1).Draw(t, "n")
		m := modelOf(ranges)
		in := m.slots()
		want := in[:min(max(n, 0), len(in))]
		if got := slices.Collect(slots.Of(ranges...).First(n).Slots()); !slices.Equal(got, want) {
			t.Fatalf("First(%d) has %d slots, want %d", n, len(got), len(want))
		}
	})
}
