// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
)

// Events of the controllers, the latest last.
type Events struct {
	Items         []corev1.Event
	WithNamespace bool
	Now           time.Time
}

// EventTime is when an event happened last; which field says so depends on who
// wrote it.
func EventTime(e *corev1.Event) time.Time {
	switch {
	case e.Series != nil && !e.Series.LastObservedTime.IsZero():
		return e.Series.LastObservedTime.Time
	case !e.LastTimestamp.IsZero():
		return e.LastTimestamp.Time
	case !e.EventTime.IsZero():
		return e.EventTime.Time
	default:
		return e.CreationTimestamp.Time
	}
}

// Text is a line for each, its message below where it does not fit beside.
func (e Events) Text(s screen.Style) string {
	page := screen.NewPage(s)
	if len(e.Items) == 0 {
		page.Line(0, screen.Plain("No events about Holdfast's objects; the cluster forgets them after an hour or so."))
	}
	for i := range e.Items {
		item := &e.Items[i]
		object := item.InvolvedObject.Kind + " " + item.InvolvedObject.Name
		if e.WithNamespace {
			object = item.InvolvedObject.Kind + " " + item.InvolvedObject.Namespace + "/" + item.InvolvedObject.Name
		}
		reason := screen.Plain(item.Reason)
		if item.Type == corev1.EventTypeWarning {
			reason = screen.Yellow(item.Reason)
		}
		page.Line(0, screen.Plain(fmt.Sprintf("%-8s", since(EventTime(item), e.Now))), screen.Bold(object), screen.Plain("  "), reason)
		const indent = 8
		page.Prose(indent, 0, screen.Plain(item.Message))
	}
	return page.String()
}

// Value is the List of them.
func (e Events) Value() any {
	items := make([]any, 0, len(e.Items))
	for i := range e.Items {
		item := e.Items[i].DeepCopy()
		item.APIVersion, item.Kind, item.ManagedFields = "v1", "Event", nil
		items = append(items, item)
	}
	return map[string]any{"apiVersion": "v1", "kind": "List", "items": items}
}

// Names of the events.
func (e Events) Names() []string {
	var names []string
	for i := range e.Items {
		names = append(names, "event/"+e.Items[i].Name)
	}
	return names
}
