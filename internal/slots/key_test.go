package slots_test

import (
	"testing"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

// The wanted slots are a server's answers to CLUSTER KEYSLOT; that the table
// agrees with every supported server is tested where servers run.
func TestKeySlot(t *testing.T) {
	for _, test := range []struct {
		key  string
		want slots.Slot
	}{
		{"", 0},
		{"123456789", 12739},
		{"foo", 12182},
		{"bar", 5061},
		{"{user1000}.following", 3443},
		{"{user1000}.followers", 3443},
		{"user1000", 3443},
		{"foo{}{bar}", 8363},
		{"foo{{bar}}zap", 4015},
		{"{bar", 4015},
		{"foo{bar}{zap}", 5061},
		{"\xff\x00binary", 10209},
	} {
		if got := slots.KeySlot(test.key); got != test.want {
			t.Errorf("KeySlot(%q) = %d, want %d", test.key, got, test.want)
		}
	}
}
