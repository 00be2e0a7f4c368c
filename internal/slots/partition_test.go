package slots_test

import (
	"strings"
	"testing"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

// The wanted cuts are those of valkey-cli --cluster create.
func TestPartitionCutsAsValkeyCLI(t *testing.T) {
	for _, test := range []struct {
		n    int
		want string
	}{
		{-1, ""},
		{0, ""},
		{1, "0-16383"},
		{2, "0-8191 | 8192-16383"},
		{3, "0-5460 | 5461-10922 | 10923-16383"},
		{4, "0-4095 | 4096-8191 | 8192-12287 | 12288-16383"},
		{5, "0-3276 | 3277-6553 | 6554-9829 | 9830-13106 | 13107-16383"},
		{6, "0-2730 | 2731-5460 | 5461-8191 | 8192-10922 | 10923-13652 | 13653-16383"},
	} {
		var parts []string
		for _, part := range slots.Partition(test.n) {
			parts = append(parts, part.String())
		}
		if got := strings.Join(parts, " | "); got != test.want {
			t.Errorf("Partition(%d) = %q, want %q", test.n, got, test.want)
		}
	}
}

func TestPartitionIsEvenAndComplete(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 7, 10, 33, 100, 1000, 16383, 16384, 20000} {
		parts := slots.Partition(n)
		if len(parts) != n {
			t.Fatalf("Partition(%d) has %d parts", n, len(parts))
		}
		var covered slots.Set
		for i, part := range parts {
			if !covered.Intersect(part).IsEmpty() {
				t.Fatalf("part %d of %d overlaps an earlier one", i, n)
			}
			covered = covered.Union(part)
			if c := part.Count(); c != slots.Total/n && c != slots.Total/n+1 {
				t.Fatalf("part %d of %d has %d slots", i, n, c)
			}
			if len(part.Ranges()) > 1 {
				t.Fatalf("part %d of %d is not contiguous: %q", i, n, part)
			}
		}
		if !covered.Equal(slots.All()) {
			t.Fatalf("Partition(%d) leaves out %q", n, slots.All().Minus(covered))
		}
	}
}
