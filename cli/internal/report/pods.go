// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
)

// podsLine says which value the running pods have, and what their next restart
// will do. A process keeps the environment that it started with, which is how
// an edit can lie unnoticed for half a year; mounted files follow by
// themselves, so those readers are left out.
func podsLine(e *v1alpha1.DriftEntry) string {
	var before, pods int32
	var stale, uncounted []string
	for _, c := range starters(e.Consumers) {
		name := c.Kind + " " + c.Name
		switch {
		case c.PodsBefore >= 0:
			before, pods = before+c.PodsBefore, pods+c.Pods
			if c.PodsBefore > 0 {
				stale = append(stale, name)
			}
		case c.Kind != "CronJob" && c.Kind != "Job":
			// A job's pods run to their end with what they started with.
			uncounted = append(uncounted, name)
		}
	}
	text := podsText(before, pods)
	if len(stale) > 0 {
		text += "; the next restart will change " + what(e) + " for " + and(stale)
	}
	if len(uncounted) == 0 {
		return text
	}
	if text != "" {
		text += "; "
	}
	return text + "whether the pods of " + strings.Join(uncounted, ", ") + " started before it is not known"
}

// starters read the value when they start, each once.
func starters(consumers []v1alpha1.Consumer) []v1alpha1.Consumer {
	var found []v1alpha1.Consumer
	for _, c := range consumers {
		known := slices.ContainsFunc(found, func(f v1alpha1.Consumer) bool {
			return f.Kind == c.Kind && f.Namespace == c.Namespace && f.Name == c.Name
		})
		if strings.HasPrefix(c.How, "env") && !known {
			found = append(found, c)
		}
	}
	return found
}

// what is the key that the value stands under, or the object as such.
func what(e *v1alpha1.DriftEntry) string {
	tokens := keyedpath.Tokens(e.Path)
	if len(tokens) == 0 {
		return e.Object.Kind + " " + e.Object.Name
	}
	return tokens[len(tokens)-1]
}

// and joins names as one says them.
func and(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

func podsText(before, pods int32) string {
	if pods == 0 {
		return ""
	}
	text := fmt.Sprintf("pods started before this change: %d of %d, so ", before, pods)
	switch before {
	case 0:
		return text + "they run on the live value; a sync would change it at their next restart"
	case pods:
		return text + "they run on the value before it"
	default:
		return text + "those run on the value before it and the others on the live value"
	}
}
