package slots

// Partition splits all slots evenly over n shards: contiguous, in ascending
// order, sizes differing by at most one. The cuts are at 16384·i/n, halves
// rounded up, which is where valkey-cli --cluster create makes them, so that
// a cluster made by hand and one made by us own the same slots. (From 78
// shards on its floating point error moves some cuts by one.) With n < 1 the
// result is nil; beyond [Total] some shards are empty.
func Partition(n int) []Set {
	if n < 1 {
		return nil
	}
	parts := make([]Set, n)
	for i := range parts {
		if first, next := cut(i, n), cut(i+1, n); first < next {
			parts[i] = Of(Range{Slot(first), Slot(next - 1)}) //nolint:gosec // at most 16383
		}
	}
	return parts
}

// cut is the first slot of shard i of n.
func cut(i, n int) int { return (2*Total*i + n) / (2 * n) }
