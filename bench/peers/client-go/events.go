// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/record"
)

const eventsNs = "recorders"

// core1 is the one event of a reason, as core/v1 has it.
func (s *suite) core1(ctx context.Context, reason string) (*corev1.Event, error) {
	list, err := s.client.CoreV1().Events(eventsNs).List(ctx, metav1.ListOptions{FieldSelector: "reason=" + reason})
	if err != nil {
		return nil, err
	}
	if len(list.Items) != 1 {
		return nil, fmt.Errorf("%d events of core/v1 with the reason %s", len(list.Items), reason)
	}
	return &list.Items[0], nil
}

// events1 is the same event, as events.k8s.io/v1 has it.
func (s *suite) events1(ctx context.Context, reason string) (*eventsv1.Event, error) {
	list, err := s.client.EventsV1().Events(eventsNs).List(ctx, metav1.ListOptions{FieldSelector: "reason=" + reason})
	if err != nil {
		return nil, err
	}
	if len(list.Items) != 1 {
		return nil, fmt.Errorf("%d events of events.k8s.io/v1 with the reason %s", len(list.Items), reason)
	}
	return &list.Items[0], nil
}

// events: the recorders of both groups; the second event of a kind changes the first, and each group shows what the other wrote.
func (s *suite) events() {
	ctx, cancel := context.WithTimeout(context.Background(), 3*patience)
	defer cancel()
	var about *corev1.ConfigMap
	s.check("core-recorder", func(context.Context) error {
		var err error
		if err = s.namespace(ctx, eventsNs); err != nil {
			return err
		}
		about, err = s.client.CoreV1().ConfigMaps(eventsNs).Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "about"}}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		broadcaster := record.NewBroadcaster(record.WithContext(ctx))
		defer broadcaster.Shutdown()
		broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: s.client.CoreV1().Events("")})
		recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "core-recorder"})
		for range 3 {
			recorder.Eventf(about, corev1.EventTypeWarning, "Counted", "seen by %s", "core")
		}
		return eventually(ctx, func() error {
			old, err := s.core1(ctx, "Counted")
			if err != nil {
				return err
			}
			other, err := s.events1(ctx, "Counted")
			if err != nil {
				return err
			}
			return first(
				equal("count", old.Count, 3),
				equal("involvedObject", [3]string{old.InvolvedObject.Kind, old.InvolvedObject.Name, string(old.InvolvedObject.UID)}, [3]string{"ConfigMap", "about", string(about.UID)}),
				equal("deprecatedCount", other.DeprecatedCount, 3),
				equal("note", other.Note, "seen by core"),
				equal("deprecatedSource", other.DeprecatedSource.Component, "core-recorder"),
			)
		})
	})
	s.check("events-recorder", func(context.Context) error {
		broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: s.client.EventsV1()})
		defer broadcaster.Shutdown()
		if err := broadcaster.StartRecordingToSinkWithContext(ctx); err != nil {
			return err
		}
		recorder := broadcaster.NewRecorder(scheme.Scheme, "palisade.example/recorder")
		recorder.Eventf(about, nil, corev1.EventTypeNormal, "Repeated", "Test", "seen by %s", "events")
		if err := eventually(ctx, func() error { _, err := s.events1(ctx, "Repeated"); return err }); err != nil {
			return err
		}
		recorder.Eventf(about, nil, corev1.EventTypeNormal, "Repeated", "Test", "seen by %s", "events")
		return eventually(ctx, func() error {
			event, err := s.events1(ctx, "Repeated")
			if err != nil {
				return err
			}
			if event.Series == nil {
				return fmt.Errorf("no series")
			}
			old, err := s.core1(ctx, "Repeated")
			if err != nil {
				return err
			}
			return first(
				equal("series", event.Series.Count, 2),
				equal("regarding", event.Regarding.Name, "about"),
				equal("message", old.Message, "seen by events"),
				equal("action", old.Action, "Test"),
				equal("reportingComponent", old.ReportingController, "palisade.example/recorder"),
			)
		})
	})
}
