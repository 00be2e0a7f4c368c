package valkeynode

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/valkey-operator/valkey-operator/api/v1alpha1"
)

func waiting(reason, message string) corev1.ContainerState {
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
}

func ended(code int32, reason, message string) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason, Message: message}}
}

var runningState = corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}

const fatal = `27156:M 30 Nov 2026 22:19:23.605 * Server initialized

*** FATAL CONFIG FILE ERROR (Version 9.1.2) ***
Reading the configuration file, at line 4
>>> 'maxmemroy 1gb'
Bad directive or wrong number of arguments
`

const fatalWords = "*** FATAL CONFIG FILE ERROR (Version 9.1.2) ***; Reading the configuration file, at line 4; >>> 'maxmemroy 1gb'; Bad directive or wrong number of arguments"

// damagedData is what is left of a log of 8.0 in a termination message.
const damagedData = `[offset 82] Selecting DB ID 0
[offset 104] AUX FIELD slot-info = '107,1,0'
--- RDB ERROR DETECTED ---
[offset 1414] Unexpected EOF reading RDB file
[additional info] While doing: read-object-value
[additional info] Reading key 'name-of-a-customer'
[additional info] Reading type 18 (quicklist-v2)
[info] 10 keys read
[info] 0 expires
[info] 0 already expired
start: dump.rdb cannot be loaded: [offset 1414] Unexpected EOF reading RDB file
`

func TestPodTrouble(t *testing.T) {
	for name, c := range map[string]struct {
		conditions []corev1.PodCondition
		containers []corev1.ContainerStatus
		reason     string
		message    string
	}{
		"unschedulable": {
			conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "0/3 nodes are available: 3 Insufficient cpu."}},
			reason:     v1alpha1.ReasonUnschedulable,
			message:    "pod p cannot be scheduled: 0/3 nodes are available: 3 Insufficient cpu.",
		},
		"nothing known yet": {
			reason: v1alpha1.ReasonPodPending, message: "pod p has not started its server yet",
		},
		"being created": {
			containers: []corev1.ContainerStatus{{Name: "server", State: waiting("ContainerCreating", "")}},
			reason:     v1alpha1.ReasonPodPending, message: "pod p has not started its server yet",
		},
		"image": {
			containers: []corev1.ContainerStatus{{Name: "server", Image: "valkey/valkey:typo", State: waiting("ErrImagePull", "a long story with a request ID")}},
			reason:     v1alpha1.ReasonImagePull, message: "image valkey/valkey:typo of container server in pod p cannot be pulled",
		},
		"image of a sidecar, while the server runs": {
			containers: []corev1.ContainerStatus{{Name: "server", Ready: true, State: runningState}, {Name: "metrics-exporter", Image: "e", State: waiting("ImagePullBackOff", "Back-off")}},
			reason:     v1alpha1.ReasonImagePull, message: "image e of container metrics-exporter in pod p cannot be pulled",
		},
		"a Secret is missing": {
			containers: []corev1.ContainerStatus{{Name: "server", State: waiting("CreateContainerConfigError", `secret "x" not found`)}},
			reason:     v1alpha1.ReasonPodPending, message: `container server in pod p cannot be created: CreateContainerConfigError: secret "x" not found`,
		},
		"runs": {
			containers: []corev1.ContainerStatus{{Name: "server", State: runningState}},
			reason:     v1alpha1.ReasonPodNotReady, message: "pod p runs and is not ready yet",
		},
		"out of memory": {
			containers: []corev1.ContainerStatus{{Name: "server", State: runningState, LastTerminationState: ended(137, "OOMKilled", "")}},
			reason:     v1alpha1.ReasonCrashLoop, message: "container server in pod p was killed because it used more memory than its limit",
		},
		"was killed and starts again": {
			containers: []corev1.ContainerStatus{{Name: "server", State: runningState, LastTerminationState: ended(137, "Error", fatal)}},
			reason:     v1alpha1.ReasonCrashLoop, message: "container server in pod p was ended by signal 9",
		},
		"damaged data": {
			containers: []corev1.ContainerStatus{{Name: "server", State: waiting("CrashLoopBackOff", ""), LastTerminationState: ended(65, "Error", damagedData)}},
			reason:     v1alpha1.ReasonDataDamaged,
			message: "the server in pod p cannot load its data: [offset 1414] Unexpected EOF reading RDB file; start: dump.rdb cannot be loaded: [offset 1414] Unexpected EOF reading RDB file; " +
				"put a copy of the data in its place, or, if another server has the data or it is not wanted, delete the claim valkey-c-0-0-data and the pod",
		},
		"the same exit code of a sidecar": {
			containers: []corev1.ContainerStatus{{Name: "server", Ready: true, State: runningState}, {Name: "metrics-exporter", State: ended(65, "Error", "no")}},
			reason:     v1alpha1.ReasonCrashLoop, message: "container metrics-exporter in pod p ends with exit code 65, saying: no",
		},
		"was stopped and starts again": {
			containers: []corev1.ContainerStatus{{Name: "server", State: runningState, LastTerminationState: ended(0, "Completed", "")}},
			reason:     v1alpha1.ReasonPodNotReady, message: "pod p runs and is not ready yet",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
			p.Spec.Containers = []corev1.Container{{Name: "server"}, {Name: "metrics-exporter"}}
			p.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "valkey-c-0-0-data"}}}}
			p.Status.Conditions, p.Status.ContainerStatuses = c.conditions, c.containers
			if got := podTrouble(p); got != no(c.reason, c.message) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// While the kubelet goes through the stages of a crash loop, the words stay the
// same: each change would be a write and an event.
func TestCrashLoopIsToldOnce(t *testing.T) {
	want := no(v1alpha1.ReasonCrashLoop, "container server in pod p ends with exit code 1, saying: "+fatalWords)
	later := strings.ReplaceAll(fatal, "27156:M 30 Nov 2026 22:19:23.605", "9:M 1 Dec 2026 00:00:00.001")
	for name, status := range map[string]corev1.ContainerStatus{
		"ended":       {State: ended(1, "Error", fatal)},
		"backing off": {State: waiting("CrashLoopBackOff", "back-off 20s"), LastTerminationState: ended(1, "Error", fatal)},
		"runs again":  {State: runningState, LastTerminationState: ended(1, "Error", fatal)},
		"ended again": {State: ended(1, "Error", later), LastTerminationState: ended(1, "Error", fatal)},
	} {
		t.Run(name, func(t *testing.T) {
			status.Name = "server"
			p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
			p.Spec.Containers = []corev1.Container{{Name: "server"}}
			p.Status.ContainerStatuses = []corev1.ContainerStatus{status}
			if got := podTrouble(p); got != want {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestLastWordsAreShort(t *testing.T) {
	long := strings.Repeat("x", 3000) + "ü\n" + strings.Repeat("y", 400) + "\n"
	if got := lastWords(long); len(got) > lastBytes || !strings.HasSuffix(got, "y") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	if got := lastWords("a\na\na\n"); got != "a" {
		t.Errorf("repeated lines: %q", got)
	}
	if got := lastWords("9:M 1 Dec 2026 00:00:00.001 # x\n[info] 7\n=== VALKEY BUG REPORT END. Make sure to include ===\nPlease report\n"); got != crashed {
		t.Errorf("a crash: %q", got)
	}
	for _, line := range []string{"requirepass hunter2 x", `primaryauth "hunter2`, "user default on >hunter2", "tls-key-file-pass hunter2 2"} {
		got := lastWords("Reading the configuration file, at line 2\n>>> '" + line + "'\nBad directive\n")
		if strings.Contains(got, "hunter2") || !strings.Contains(got, "Bad directive") {
			t.Errorf("a secret is quoted: %q", got)
		}
	}
	if got := lastWords("\n\n"); got != "" {
		t.Errorf("nothing: %q", got)
	}
}
