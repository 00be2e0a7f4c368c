package vkcluster

import (
	"embed"

	corev1 "k8s.io/api/core/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/valkey-operator/valkey-operator/internal/spec"
)

// Where the scripts are, in the image of this package and in a pod.
const (
	scriptsDir = "/etc/valkey-scripts"

	probeScript      = "probe.sh"
	preStopScript    = "pre-stop.sh"
	successionScript = "succession.sh"
	loginScript      = "valkey-cli"

	// loginDir comes first in a container's PATH, so that a bare valkey-cli is
	// the script that logs in.
	loginDir = scriptsDir + "/bin"
)

//go:embed scripts
var scripts embed.FS

// Scripts returns the ConfigMap that every pod runs its probes and its
// hand-over from. A new one reaches pods that are already running, so the
// scripts rely on nothing in a pod but /bin/sh, the usual tools, and the files
// that the very first version mounted.
func Scripts(c spec.Cluster) *coreac.ConfigMapApplyConfiguration {
	data := map[string]string{}
	for _, f := range scriptFiles() {
		data[f.Key] = script(f.Path)
	}
	return coreac.ConfigMap(c.ScriptsConfigMap(), c.Namespace).
		WithLabels(c.Labels()).
		WithOwnerReferences(owner(c)).
		WithData(data)
}

// scriptFiles are the keys of the ConfigMap, and where they are mounted.
func scriptFiles() []corev1.KeyToPath {
	return []corev1.KeyToPath{file(probeScript), file(preStopScript), file(successionScript), {Key: loginScript, Path: "bin/" + loginScript}}
}

func script(path string) string {
	text, err := scripts.ReadFile("scripts/" + path)
	if err != nil {
		panic(err) // the file is part of this package
	}
	return string(text)
}
