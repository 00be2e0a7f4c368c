package cluster

import (
	"bufio"
	"fmt"
	"path/filepath"
	"testing"
)

// holdLeaseRole holds a lease until it is killed, and says when it has it.
func holdLeaseRole() error {
	if err := hold(roleArgs()[0]); err != nil {
		return err
	}
	fmt.Println("held")
	select {}
}

func TestLeaseTellsWhoHoldsIt(t *testing.T) {
	lease := filepath.Join(t.TempDir(), "lease")
	if pid, err := holder(lease); pid != 0 || err != nil {
		t.Errorf("before anybody held it: %d, %v", pid, err)
	}
	cmd := inRole(t, "hold-lease", lease)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = cmd.Wait() }() // so that it is not kept as a zombie
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	if pid, err := holder(lease); pid != cmd.Process.Pid || err != nil {
		t.Errorf("holder %d, %v; want %d", pid, err, cmd.Process.Pid)
	}
	if err := hold(lease); err == nil {
		t.Error("two processes hold one lease")
	}
	if err := killHolder(lease); err != nil {
		t.Error(err)
	}
	if pid, err := holder(lease); pid != 0 || err != nil {
		t.Errorf("after its holder was killed: %d, %v", pid, err)
	}
}
