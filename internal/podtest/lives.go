package podtest

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Lives kills the operator some time after each time that it begins to lead.
type Lives struct {
	kube  Kube
	after time.Duration
	began chan struct{}
	stop  context.CancelFunc
	done  chan struct{}

	actions []int // of each life
	err     error
}

// KillAfterEachAcquisition kills the operator that leads now, and from then on
// each that begins to lead. The first one's actions are not counted.
func (k Kube) KillAfterEachAcquisition(ctx context.Context, after time.Duration) (*Lives, error) {
	before, err := k.leader(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := k.KillOperator(ctx); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	l := &Lives{kube: k, after: after, began: make(chan struct{}), stop: stop, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		l.run(ctx, before)
	}()
	return l, nil
}

// Began is closed when the first life begins to lead.
func (l *Lives) Began() <-chan struct{} { return l.began }

// Stop ends the killing, waits until an operator leads that may live, and
// returns how many actions each life carried out while it led.
func (l *Lives) Stop(ctx context.Context) ([]int, error) {
	l.stop()
	<-l.done
	if l.err != nil {
		return nil, l.err
	}
	return l.actions, l.kube.awaitLeader(ctx)
}

func (l *Lives) run(ctx context.Context, last string) {
	for ctx.Err() == nil {
		holder, err := l.kube.leader(ctx)
		if err != nil || holder == "" || holder == last {
			pause(ctx, 50*time.Millisecond)
			continue
		}
		last = holder
		if len(l.actions) == 0 {
			close(l.began)
		}
		pause(ctx, l.after)
		// What it did counts also when nobody kills it any more.
		n, err := l.end(context.WithoutCancel(ctx), holder, ctx.Err() == nil)
		if err != nil {
			l.err = err
			return
		}
		l.actions = append(l.actions, n)
	}
}

// end counts what the leader did and kills it.
func (l *Lives) end(ctx context.Context, holder string, kill bool) (int, error) {
	pod := strings.SplitN(holder, "_", 2)[0]
	log, err := Kubectl(ctx, "-n", OperatorNamespace, "logs", pod)
	if err != nil {
		return 0, fmt.Errorf("counting the actions of %s: %w", holder, err)
	}
	if kill {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: OperatorNamespace, Name: pod}}
		err = client.IgnoreNotFound(l.kube.Delete(ctx, p, client.GracePeriodSeconds(0)))
	}
	return actions(log), err
}

// actions counts the lines by which the operator's log tells of an action.
func actions(log string) int {
	n := 0
	for line := range strings.Lines(log) {
		if strings.Contains(line, `"msg":"Acted"`) {
			n++
		}
	}
	return n
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
