package valkey

import (
	"net/netip"
	"testing"
	"time"
)

// A failed dial returns no connection, also when compared with nil.
func TestFailedDialReturnsNil(t *testing.T) {
	nowhere := Target{Addr: netip.MustParseAddrPort("127.0.0.1:1")}
	if conn, err := (TCP{}).Dial(t.Context(), nowhere); err == nil || conn != nil {
		t.Errorf("Dial returns %#v, %v", conn, err)
	}
	if held, err := (TCP{}).Hold(t.Context(), nowhere); err == nil || held != nil {
		t.Errorf("Hold returns %#v, %v", held, err)
	}
	if conn, err := NewPool(TCP{}, time.Minute).Dial(t.Context(), nowhere); err == nil || conn != nil {
		t.Errorf("Pool.Dial returns %#v, %v", conn, err)
	}
}
