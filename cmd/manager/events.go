package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// newRecorder returns what tells users of events, for as long as mgr runs.
func newRecorder(mgr ctrl.Manager) (events.EventRecorder, error) {
	clients, err := kubernetes.NewForConfigAndClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return nil, err
	}
	broadcaster := events.NewBroadcaster(sink{&events.EventSinkImpl{Interface: clients.EventsV1()}})
	err = mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		defer broadcaster.Shutdown()
		if err := broadcaster.StartRecordingToSinkWithContext(ctx); err != nil {
			return err
		}
		<-ctx.Done()
		return nil
	}))
	return broadcaster.NewRecorder(mgr.GetScheme(), "valkey-operator"), err
}

// sink takes it that nobody is told of what happens while a namespace ends: the
// API server refuses those events, which is no error to log.
type sink struct{ events.EventSink }

func (s sink) Create(ctx context.Context, e *eventsv1.Event) (*eventsv1.Event, error) {
	created, err := s.EventSink.Create(ctx, e)
	if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		return e, nil
	}
	return created, err
}
