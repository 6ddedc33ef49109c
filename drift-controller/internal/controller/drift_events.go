// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/actuate"
	"github.com/holdfast-gitops/holdfast/drift-controller/plan"
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
		events = append(events, news{contract.DriftDetectedEvent, listed(fresh), true, detailed(annotations, fresh)})
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

// detailed adds what a receiver routes and filters by: the classes, and the
// fields as the report names them, without any value.
func detailed(annotations map[string]string, fresh []api.DriftEntry) map[string]string {
	var classes, fields []string
	for _, e := range fresh {
		classes = append(classes, string(e.Class))
		fields = append(fields, fmt.Sprintf("%s %s/%s%s", e.Object.Kind, e.Object.Namespace, e.Object.Name, e.Path))
	}
	slices.Sort(classes)
	all := maps.Clone(annotations)
	all["drift.holdfast.dev/class"] = strings.Join(slices.Compact(classes), ",")
	all["drift.holdfast.dev/fields"] = few(fields)
	return all
}

// say sends one event for each kind of thing that was done, and one for what
// failed.
func (p *pass) say(outcomes []actuate.Outcome) {
	done, failed := map[string][]string{}, []string{}
	for _, o := range outcomes {
		line := o.Step.ID.String()
		if o.Step.Verb == plan.Revert {
			line += " " + strings.Join(o.Step.Pointers, " ")
		}
		switch {
		case o.Result == actuate.Done && o.Writes > 0 && o.Step.Verb == plan.Delete:
			done[contract.PrunedEvent] = append(done[contract.PrunedEvent], line)
		case o.Result == actuate.Done && o.Writes > 0 && o.Step.Verb == plan.Restore:
			done[contract.UndoneEvent] = append(done[contract.UndoneEvent], line)
		case o.Result == actuate.Done && o.Writes > 0 && (o.Step.Verb == plan.Revert || o.Step.Needs == api.StageSelfHeal):
			done[contract.HealedEvent] = append(done[contract.HealedEvent], line)
		case o.Result == actuate.Done && o.Writes > 0:
			done[contract.AppliedEvent] = append(done[contract.AppliedEvent], line)
		case o.Result == actuate.Refused, o.Result == actuate.Failed:
			failed = append(failed, o.Step.ID.String()+": "+o.Message)
		}
	}
	annotations := map[string]string{"drift.holdfast.dev/revision": p.facts.Revision, "drift.holdfast.dev/stage": string(p.in.stage.Effective)}
	for _, reason := range []string{contract.AppliedEvent, contract.HealedEvent, contract.PrunedEvent, contract.UndoneEvent} {
		if lines := done[reason]; len(lines) > 0 {
			p.Events.AnnotatedEventf(p.app, annotations, corev1.EventTypeNormal, reason, "%s", few(lines))
		}
	}
	if len(failed) > 0 {
		p.Events.AnnotatedEventf(p.app, annotations, corev1.EventTypeWarning, contract.WriteFailedEvent, "%s", few(failed))
	}
}

func few(lines []string) string {
	const most = 5
	slices.Sort(lines)
	if len(lines) <= most {
		return strings.Join(lines, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(lines[:most], "; "), len(lines)-most)
}
