// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
)

// unrecorded is the role of managers that stand for several unknown ones.
const unrecorded = "Unrecorded"

const unknownWriter = "unknown writer"

// writers says who owns the live value and since when it is known. The last
// write is the manager's last write to the object, not to this field, and the
// words are kept so that nobody reads more into it.
func writers(e *v1alpha1.DriftEntry, s screen.Style, now time.Time) string {
	var parts []string
	for i := range e.Managers {
		parts = append(parts, writer(&e.Managers[i], s))
	}
	who := strings.Join(parts, "; ")
	if who == "" {
		who = unknownWriter
	}
	if who == unknownWriter && e.Kind == v1alpha1.Absent {
		who = "unknown writer (a removal leaves none)"
	}
	if e.FirstSeen.IsZero() {
		return who
	}
	return who + ", seen " + since(e.FirstSeen.Time, now) + " ago"
}

func writer(m *v1alpha1.FieldManager, s screen.Style) string {
	text := m.Name
	if m.Role == unrecorded || text == "" {
		text = unknownWriter
		if m.Name != "" {
			text += " (merged into " + m.Name + ")"
		}
	}
	if m.Subresource != "" {
		text += " through " + m.Subresource
	}
	if m.LastWrite != nil && !m.LastWrite.IsZero() {
		text += ", last write " + s.Date(m.LastWrite.Time)
	}
	return text
}

// managerNames lists the names alone, for lines that have no room.
func managerNames(e *v1alpha1.DriftEntry) string {
	var names []string
	for _, m := range e.Managers {
		if m.Role != unrecorded && m.Name != "" {
			names = append(names, m.Name)
		}
	}
	if len(names) == 0 {
		return unknownWriter
	}
	return strings.Join(names, " and ")
}

// since is the age of a time in the short form that kubectl uses. Clocks of
// two machines differ, so that the future reads as now.
func since(t, now time.Time) string { return duration.HumanDuration(max(now.Sub(t), 0)) }

// shortRevision cuts the hash of "main@sha1:9f4c…" to some digits; a tag or a
// revision of another form stays as it is.
func shortRevision(revision string, length int) string {
	at := strings.LastIndex(revision, ":")
	if at < 0 || len(revision)-at-1 <= length {
		return revision
	}
	return revision[:at+1+length]
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
