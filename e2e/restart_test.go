package e2e

import (
	"testing"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/podtest"
)

// The operator is killed again and again while a cluster forms; what comes out
// is one cluster (A2).
func TestOperatorKilledWhileForming(t *testing.T) {
	e := newEnv(t)
	e.mustApply(manifest("c", 3, 1, "  persistence: {size: 1Gi}"))
	kills := 0
	for begin := time.Now(); time.Since(begin) < 30*time.Second; time.Sleep(700 * time.Millisecond) {
		if podtest.Ready(e.cluster("c")) == nil {
			break
		}
		kills += e.killOperator()
	}
	t.Logf("the operator was killed %d times", kills)
	if kills == 0 {
		t.Error("the operator was never killed")
	}
	e.awaitReady("c")
	e.write("c", 100)
	e.read("c", 100)
}

// killOperator deletes the operator's pods without grace and returns how many
// there were.
func (e *env) killOperator() int {
	e.t.Helper()
	killed, err := e.KillOperator(e.ctx())
	e.must(err)
	return killed
}
