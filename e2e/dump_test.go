package e2e

import (
	"os/exec"
	"strings"
)

// dump prints what a person would look at.
func (e *env) dump() {
	for _, args := range []string{
		"-n " + e.namespace + " get valkeycluster,valkeynode,statefulset,deployment,pod,pvc -o wide",
		"-n " + e.namespace + " get valkeycluster -o yaml",
		"-n " + e.namespace + " get events --sort-by=.metadata.creationTimestamp",
		"-n " + e.namespace + " describe pod",
		"-n valkey-operator-system logs deployment/valkey-operator --tail=200",
	} {
		out, err := exec.Command("kubectl", strings.Fields(args)...).CombinedOutput()
		e.t.Logf("kubectl %s: %v\n%s", args, err, out)
	}
}
