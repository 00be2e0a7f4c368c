package valkeynode

import (
	"github.com/valkey-operator/valkey-operator/internal/render/vknode"
)

// chosen is the template that the workload should have.
type chosen struct {
	record vknode.Record
	// stale says why a newer template is not written: for a Deployment,
	// writing it is the restart.
	stale error
}

// chooseTemplate returns the template as it was rendered before, unless what it
// is rendered from changed. mayRestart asks for the guard's verdict on the pod
// there is.
func chooseTemplate(s *seen, mayRestart func() error) (chosen, error) {
	wanted := vknode.TemplateHash(s.node)
	if isDeployment(s.node) && s.workload != nil && s.workload.templateHash != wanted && s.pod != nil && !going(s.pod) {
		if stale := mayRestart(); stale != nil {
			record, err := recordedOrLive(s)
			return chosen{record: record, stale: stale}, err
		}
	}
	if s.configMap != nil {
		if record, ok := vknode.RecordIn(s.configMap); ok && record.Hash == wanted {
			return chosen{record: record}, nil
		}
	}
	if s.workload != nil && s.workload.templateHash == wanted {
		record, err := vknode.RecordOfLive(wanted, s.workload.template)
		return chosen{record: record}, err
	}
	record, err := vknode.NewRecord(s.node)
	return chosen{record: record}, err
}

// recordedOrLive returns the template that the workload has.
func recordedOrLive(s *seen) (vknode.Record, error) {
	if s.configMap != nil {
		if record, ok := vknode.RecordIn(s.configMap); ok && record.Hash == s.workload.templateHash {
			return record, nil
		}
	}
	return vknode.RecordOfLive(s.workload.templateHash, s.workload.template)
}
