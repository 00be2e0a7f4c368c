package slots_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

// set is what text says; the tests trust Parse, which has tests of its own.
func set(t testing.TB, text string) slots.Set {
	t.Helper()
	s, err := slots.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOfNormalises(t *testing.T) {
	for _, test := range []struct {
		name   string
		ranges []slots.Range
		want   []slots.Range
	}{
		{"nothing", nil, nil},
		{"one slot", []slots.Range{{First: 7, Last: 7}}, []slots.Range{{First: 7, Last: 7}}},
		{"unsorted", []slots.Range{{First: 20, Last: 29}, {First: 0, Last: 9}}, []slots.Range{{First: 0, Last: 9}, {First: 20, Last: 29}}},
		{"touching", []slots.Range{{First: 0, Last: 9}, {First: 10, Last: 19}}, []slots.Range{{First: 0, Last: 19}}},
		{"overlapping", []slots.Range{{First: 0, Last: 15}, {First: 10, Last: 19}}, []slots.Range{{First: 0, Last: 19}}},
		{"contained", []slots.Range{{First: 0, Last: 99}, {First: 10, Last: 19}}, []slots.Range{{First: 0, Last: 99}}},
		{"gap of one", []slots.Range{{First: 0, Last: 9}, {First: 11, Last: 19}}, []slots.Range{{First: 0, Last: 9}, {First: 11, Last: 19}}},
		{"last slot", []slots.Range{{First: 16383, Last: 16383}, {First: 16382, Last: 16382}}, []slots.Range{{First: 16382, Last: 16383}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			given := slices.Clone(test.ranges)
			if diff := cmp.Diff(test.want, slots.Of(test.ranges...).Ranges()); diff != "" {
				t.Errorf("ranges (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(given, test.ranges); diff != "" {
				t.Errorf("Of changed its arguments:\n%s", diff)
			}
		})
	}
}

func TestOfRefusesImpossibleRanges(t *testing.T) {
	for _, r := range []slots.Range{{First: 2, Last: 1}, {First: 0, Last: slots.Total}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Of(%v) did not panic", r)
				}
			}()
			slots.Of(r)
		}()
	}
}

func TestEmptySet(t *testing.T) {
	var empty slots.Set
	if !empty.IsEmpty() || empty.Count() != 0 || empty.String() != "" || empty.Contains(0) {
		t.Error("the zero Set is not empty")
	}
	if !empty.Equal(slots.All().Minus(slots.All())) {
		t.Error("two empty sets are not equal")
	}
}

func TestAll(t *testing.T) {
	if got := slots.All().Count(); got != 16384 {
		t.Errorf("All has %d slots", got)
	}
	if got := slots.All().String(); got != "0-16383" {
		t.Errorf("All is %q", got)
	}
}

func TestRangesAreTheCallers(t *testing.T) {
	s := set(t, "0-9 20-29")
	s.Ranges()[0].Last = 5
	if got := s.String(); got != "0-9 20-29" {
		t.Errorf("set became %q", got)
	}
}

func TestSlotsStopsWhenAsked(t *testing.T) {
	var seen []slots.Slot
	for slot := range set(t, "3-5 9").Slots() {
		if seen = append(seen, slot); slot == 4 {
			break
		}
	}
	if diff := cmp.Diff([]slots.Slot{3, 4}, seen); diff != "" {
		t.Error(diff)
	}
}

func TestAlgebra(t *testing.T) {
	for _, test := range []struct{ name, a, b, union, intersect, minus string }{
		{"with nothing", "1-5", "", "1-5", "", "1-5"},
		{"nothing with some", "", "1-5", "1-5", "", ""},
		{"disjoint", "0-9", "20-29", "0-9 20-29", "", "0-9"},
		{"overlap", "0-15", "10-19", "0-19", "10-15", "0-9"},
		{"hole", "0-99", "10-19", "0-99", "10-19", "0-9 20-99"},
		{"edges", "0-16383", "0 16383", "0-16383", "0 16383", "1-16382"},
		{"many", "0-9 20-29 40-49", "5-44", "0-49", "5-9 20-29 40-44", "0-4 45-49"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, b := set(t, test.a), set(t, test.b)
			if got := a.Union(b).String(); got != test.union {
				t.Errorf("union %q, want %q", got, test.union)
			}
			if got := a.Intersect(b).String(); got != test.intersect {
				t.Errorf("intersection %q, want %q", got, test.intersect)
			}
			if got := a.Minus(b).String(); got != test.minus {
				t.Errorf("difference %q, want %q", got, test.minus)
			}
		})
	}
}

func TestFirst(t *testing.T) {
	for _, test := range []struct {
		n    int
		want string
	}{{-1, ""}, {0, ""}, {1, "0"}, {10, "0-9"}, {11, "0-9 20"}, {20, "0-9 20-29"}, {21, "0-9 20-29"}} {
		if got := set(t, "0-9 20-29").First(test.n).String(); got != test.want {
			t.Errorf("First(%d) = %q, want %q", test.n, got, test.want)
		}
	}
}
