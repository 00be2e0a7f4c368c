package debian

import (
	"slices"
	"testing"
)

func TestNotInstalled(t *testing.T) {
	const states = "gcc ii \nlibc6-dev ii \nnftables rc \nkmod un \n"
	got := notInstalled(states, []string{"gcc", "nftables", "kmod", "pkgconf", "libc6-dev"})
	if want := []string{"nftables", "kmod", "pkgconf"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestNothingIsInstalledWhenNothingIsMissing runs on any Debian machine, with
// or without root.
func TestNothingIsInstalledWhenNothingIsMissing(t *testing.T) {
	if len(missing(t.Context(), []string{"dpkg"})) != 0 {
		t.Skip("not a Debian machine")
	}
	if err := Install(t.Context(), []string{"dpkg"}, func(format string, args ...any) { t.Errorf(format, args...) }); err != nil {
		t.Error(err)
	}
}
