// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/stage"
)

// news is one event about an application.
type news struct {
	reason, message string
	warning         bool
	annotations     map[string]string
}

// eventsOf says what changed between two statuses, for people. Nothing is said
// twice: entries that were there before make no event, and neither does a
// comparison that found the same.
func eventsOf(before, after *api.Application, fresh []api.DriftEntry) []news {
	var events []news
	annotations := map[string]string{}
	if c := after.Status.Compared; c != nil {
		annotations["drift.holdfast.dev/revision"] = c.Revision
		annotations["drift.holdfast.dev/stage"] = string(after.Status.Stage.Effective)
	}
	if moved, is := stageNews(before.Status.Stage, after.Status.Stage, annotations); is {
		events = append(events, moved)
	}
	if changed(before, after, contract.ReadyCondition) {
		ready := meta.FindStatusCondition(after.Status.Conditions, contract.ReadyCondition)
		if ready.Status == metav1.ConditionFalse {
			events = append(events, news{ready.Reason, ready.Message, true, annotations})
		}
	}
	if len(fresh) > 0 {
		events = append(events, news{contract.DriftDetectedEvent, listed(fresh), true, annotations})
	}
	if changed(before, after, contract.SyncedCondition) && meta.IsStatusConditionTrue(after.Status.Conditions, contract.SyncedCondition) {
		synced := meta.FindStatusCondition(after.Status.Conditions, contract.SyncedCondition)
		events = append(events, news{contract.DriftGoneEvent, "live equals Git: " + synced.Message, false, annotations})
	}
	return events
}

// stageNews tells a rise or a fall, and what holds it where it is.
func stageNews(before, after api.StageStatus, annotations map[string]string) (news, bool) {
	if before.Effective == "" || before.Effective == after.Effective {
		return news{}, false
	}
	message := fmt.Sprintf("stage %s, was %s", after.Effective, before.Effective)
	if after.HeldBy != "" {
		message += ": " + after.HeldBy
	}
	fell := !stage.Includes(after.Effective, before.Effective)
	return news{contract.StageChangedEvent, message, fell, annotations}, true
}

func changed(before, after *api.Application, kind string) bool {
	was := meta.FindStatusCondition(before.Status.Conditions, kind)
	is := meta.FindStatusCondition(after.Status.Conditions, kind)
	if is == nil || was == nil {
		return is != was
	}
	return is.Status != was.Status || is.Reason != was.Reason || (is.Status == metav1.ConditionFalse && is.Message != was.Message)
}

// listed names the first new entries; values stay in the report.
func listed(fresh []api.DriftEntry) string {
	const few = 5
	var lines []string
	for _, e := range fresh[:min(len(fresh), few)] {
		who := "unknown writer"
		if len(e.Managers) > 0 {
			who = e.Managers[0].Name
		}
		lines = append(lines, fmt.Sprintf("%s %s/%s%s: %s by %s", e.Object.Kind, e.Object.Namespace, e.Object.Name, e.Path, e.Class, who))
	}
	if len(fresh) > few {
		lines = append(lines, fmt.Sprintf("and %d more", len(fresh)-few))
	}
	return strings.Join(lines, "; ")
}
