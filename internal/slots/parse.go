package slots

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse reads what [Set.String] and Valkey print: slots and ranges separated
// by white space, as in "0-99 200 300-400". Empty text is the empty set;
// order and overlap do not matter.
func Parse(text string) (Set, error) {
	fields := strings.Fields(text)
	ranges := make([]Range, 0, len(fields))
	for _, field := range fields {
		r, err := ParseRange(field)
		if err != nil {
			return Set{}, err
		}
		ranges = append(ranges, r)
	}
	return normalise(ranges), nil
}

// ParseRange reads one slot ("7") or one range ("7-9").
func ParseRange(text string) (Range, error) {
	low, high, isRange := strings.Cut(text, "-")
	if !isRange {
		high = low
	}
	first, err := parseSlot(low)
	if err != nil {
		return Range{}, fmt.Errorf("slot range %q: %w", text, err)
	}
	last, err := parseSlot(high)
	if err != nil {
		return Range{}, fmt.Errorf("slot range %q: %w", text, err)
	}
	if first > last {
		return Range{}, fmt.Errorf("slot range %q: ends before it starts", text)
	}
	return Range{first, last}, nil
}

func parseSlot(text string) (Slot, error) {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || !Slot(n).Valid() {
		return 0, fmt.Errorf("%q is not a slot number from 0 to %d", text, Total-1)
	}
	return Slot(n), nil
}

// String is the shortest text that [Parse] reads back to s; "" when s is empty.
func (s Set) String() string {
	texts := make([]string, len(s.ranges))
	for i, r := range s.ranges {
		texts[i] = r.String()
	}
	return strings.Join(texts, " ")
}

// String is "7" for a single slot and "7-9" for more.
func (r Range) String() string {
	first := strconv.Itoa(int(r.First))
	if r.First == r.Last {
		return first
	}
	return first + "-" + strconv.Itoa(int(r.Last))
}
