package valkeynode

import (
	"math/big"
	"strings"
)

// sameValue reports whether a server that prints has was told wanted. It may say
// false for values that mean the same: the server is then told again, which
// changes nothing.
func sameValue(has, wanted string) bool {
	if has == wanted {
		return true
	}
	a, b := strings.Fields(has), strings.Fields(wanted)
	if len(a) != len(b) || len(a) == 0 {
		return false
	}
	for i := range a {
		if a[i] != b[i] && !sameAmount(a[i], b[i]) {
			return false
		}
	}
	return true
}

func sameAmount(a, b string) bool {
	x, ok := amount(a)
	y, also := amount(b)
	return ok && also && x.Cmp(y) == 0
}

// units are those of memory values in valkey.conf.
var units = []struct {
	suffix string
	factor int64
}{
	{"kb", 1 << 10}, {"mb", 1 << 20}, {"gb", 1 << 30}, {"k", 1e3}, {"m", 1e6}, {"g", 1e9}, {"b", 1}, {"", 1},
}

// amount reads a number with or without a unit.
func amount(text string) (*big.Int, bool) {
	lower := strings.ToLower(text)
	for _, u := range units {
		digits, found := strings.CutSuffix(lower, u.suffix)
		if !found {
			continue
		}
		n, ok := new(big.Int).SetString(digits, 10)
		if !ok {
			return nil, false
		}
		return n.Mul(n, big.NewInt(u.factor)), true
	}
	return nil, false
}
