package scenario

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/valkey-operator/valkey-operator/internal/topology"
)

// TestSoak tells as many stories as VALKEY_SOAK says, from number
// VALKEY_SOAK_FROM on, and reports all that end badly. With a number of one
// story it also tells how it went.
func TestSoak(t *testing.T) {
	count, _ := strconv.Atoi(os.Getenv("VALKEY_SOAK"))
	from, _ := strconv.Atoi(os.Getenv("VALKEY_SOAK_FROM"))
	if count == 0 {
		t.Skip("set VALKEY_SOAK to a number of stories")
	}
	for i := from; i < from+count; i++ {
		s := stories.Example(i)
		problems, chronicle := s.tell(t.Context(), topology.Next)
		if problems == nil {
			continue
		}
		t.Errorf("story %d: %v ends with:%s", i, s, list(problems))
		if count <= 3 {
			t.Log(strings.Join(chronicle, "\n"))
		}
	}
}
