package main

import (
	"context"
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
)

// refusing is an API server that refuses every event for the same reason.
type refusing struct {
	events.EventSink
	err error
}

func (r refusing) Create(context.Context, *eventsv1.Event) (*eventsv1.Event, error) {
	return nil, r.err
}

// What is refused because a namespace ends is no error; all else is.
func TestEventsOfAnEndingNamespace(t *testing.T) {
	ending := apierrors.NewForbidden(schema.GroupResource{Resource: "events"}, "e", errors.New("namespace is being terminated"))
	ending.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "events"}, "e", errors.New("no rights"))
	for err, quiet := range map[error]bool{ending: true, forbidden: false} {
		if _, got := (sink{refusing{err: err}}).Create(t.Context(), &eventsv1.Event{}); (got == nil) != quiet {
			t.Errorf("%v: %v", err, got)
		}
	}
}
