package valkeynode

import "testing"

func TestSameValue(t *testing.T) {
	for _, c := range []struct {
		has, wanted string
		same        bool
	}{
		{"yes", "yes", true},
		{"104857600", "100mb", true},
		{"104857600", "100MB", true},
		{"100000000", "100m", true},
		{"1073741824", "1gb", true},
		{"0", "0", true},
		{"900 1 300 10", "900  1 300 10", true},
		{"normal 0 0 0 slave 268435456 67108864 60", "normal 0 0 0 slave 256mb 64mb 60", true},
		{"", "", true},
		{"104857600", "100", false},
		{"104857600", "abc", false},
		{"Secret", "secret", false},
		{"900 1", "900 1 300 10", false},
		{"", "0", false},
		{"mb", "gb", false},
	} {
		if got := sameValue(c.has, c.wanted); got != c.same {
			t.Errorf("sameValue(%q, %q) = %v", c.has, c.wanted, got)
		}
	}
}
