// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/halt"
	secrets "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
)

const requestedAt = contract.RequestedAtAnnotation

func equal(a, b api.ApplicationStatus) bool { return equality.Semantic.DeepEqual(a, b) }

// conditions derives each condition anew. Reconciling and Stalled are there
// only while they are true, as kstatus reads them.
func conditions(app *api.Application, f Facts, next api.ApplicationStatus, now time.Time) []metav1.Condition {
	list := slices.Clone(app.Status.Conditions)
	set := func(c metav1.Condition) {
		c.Message, c.ObservedGeneration = clip(c.Message), app.Generation
		c.LastTransitionTime = metav1.NewTime(now.Truncate(time.Second))
		meta.SetStatusCondition(&list, c)
	}
	abnormal := func(kind, reason, message string, on bool) {
		if on {
			set(condition(kind, metav1.ConditionTrue, reason, message))
			return
		}
		meta.RemoveStatusCondition(&list, kind)
	}
	halted := f.Halt != nil
	abnormal(contract.StalledCondition, reasonOf(f.Halt), messageOf(f.Halt), halted && f.Halt.Kind == halt.Stalled)
	abnormal(contract.ReconcilingCondition, contract.ProgressingReason, messageOf(f.Halt), halted && f.Halt.Kind != halt.Stalled)
	if f.Compared != nil {
		contested := f.Doing.Contested
		abnormal(contract.ContestedCondition, contract.ContestedReason, some(contested), len(contested) > 0)
		abnormal(contract.BreakGlassCondition, emergencyReason(f.Doing), f.Doing.Emergency, f.Doing.Emergency != "")
	}
	set(ready(f, next))
	set(synced(f, next))
	set(healthy(f))
	if f.Secrets.Gate == api.GateOff {
		meta.RemoveStatusCondition(&list, contract.SecretsValidCondition)
	} else {
		set(secretsValid(f.Secrets))
	}
	return list
}

func emergencyReason(d Doing) string {
	if d.Hold != nil && d.Hold.Ended {
		return contract.HeldReason
	}
	return contract.OpenReason
}

func condition(kind string, status metav1.ConditionStatus, reason, message string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message}
}

func reasonOf(h *halt.Error) string {
	if h == nil {
		return ""
	}
	return h.Reason
}

func messageOf(h *halt.Error) string {
	if h == nil {
		return ""
	}
	return h.Error()
}

// ready: the last run did what it is there for, whatever it found.
func ready(f Facts, next api.ApplicationStatus) metav1.Condition {
	const kind = contract.ReadyCondition
	switch {
	case f.Suspended:
		return condition(kind, metav1.ConditionUnknown, contract.SuspendedReason, "suspended: nothing is compared")
	case f.Halt != nil && f.Compared != nil:
		return condition(kind, metav1.ConditionFalse, f.Halt.Reason, f.Halt.Error())
	case f.Halt != nil:
		return condition(kind, metav1.ConditionFalse, f.Halt.Reason, f.Halt.Error()+". Objects keep their last verdict, nothing is pruned.")
	case f.Compared == nil:
		return condition(kind, metav1.ConditionUnknown, contract.NotJudgedReason, "not compared yet")
	}
	return condition(kind, metav1.ConditionTrue, contract.SucceededReason, "compared "+next.Compared.Revision)
}

// synced: live equals Git. What was not judged now is not claimed.
func synced(f Facts, next api.ApplicationStatus) metav1.Condition {
	const kind = contract.SyncedCondition
	switch {
	case f.Suspended:
		return condition(kind, metav1.ConditionUnknown, contract.SuspendedReason, "suspended: nothing is compared")
	case f.Compared == nil:
		return condition(kind, metav1.ConditionUnknown, cmp.Or(reasonOf(f.Halt), contract.NotJudgedReason), cmp.Or(messageOf(f.Halt), "not compared yet"))
	}
	s := next.Summary
	if s.Drifted+s.Missing+s.Removed > 0 {
		return condition(kind, metav1.ConditionFalse, contract.DriftedReason, counts(*s))
	}
	if s.Unknown > 0 {
		return condition(kind, metav1.ConditionUnknown, contract.UnknownReason, counts(*s))
	}
	return condition(kind, metav1.ConditionTrue, contract.InSyncReason, counts(*s))
}

func counts(s api.Summary) string {
	parts := []string{fmt.Sprintf("%d objects: %d in sync", s.Objects, s.InSync)}
	for _, c := range []struct {
		n    int32
		word string
	}{{s.Drifted, "drifted"}, {s.Missing, "missing"}, {s.Unknown, "unknown"}, {s.Removed, "no longer declared"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.word))
		}
	}
	return strings.Join(parts, ", ")
}

// healthy: every declared object is well, and every further one. What is on its
// way is not well yet; its reason tells it from what is broken.
func healthy(f Facts) metav1.Condition {
	const kind = contract.HealthyCondition
	if f.Suspended || f.Compared == nil {
		return condition(kind, metav1.ConditionUnknown, contract.HealthUnknownReason, cmp.Or(messageOf(f.Halt), "not compared"))
	}
	objects := slices.Concat(f.Compared.Objects, f.Compared.Further)
	s := stateOf(objects)
	switch {
	case len(s.bad) > 0:
		return condition(kind, metav1.ConditionFalse, contract.UnhealthyReason, some(s.bad))
	case len(s.unknown) > 0:
		return condition(kind, metav1.ConditionUnknown, contract.HealthUnknownReason, some(s.unknown))
	case len(s.moving) > 0:
		return condition(kind, metav1.ConditionFalse, contract.ProgressingReason, some(s.moving))
	}
	return condition(kind, metav1.ConditionTrue, contract.HealthyReason, fmt.Sprintf("%d objects", len(objects)))
}

// unwell are the objects that are not well, a line each.
type unwell struct{ bad, unknown, moving []string }

func stateOf(objects []drift.Object) unwell {
	var s unwell
	for _, o := range objects {
		line := o.ID.String() + ": " + cmp.Or(o.Health.Message, o.Health.Status)
		switch o.Health.Status {
		case "Current":
		case "Unknown":
			s.unknown = append(s.unknown, line)
		case "InProgress", "Terminating":
			s.moving = append(s.moving, line)
		default:
			s.bad = append(s.bad, line)
		}
	}
	return s
}

func some(lines []string) string {
	const few = 3
	if len(lines) <= few {
		return strings.Join(lines, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(lines[:few], "; "), len(lines)-few)
}

func secretsValid(s Secrets) metav1.Condition {
	const kind = contract.SecretsValidCondition
	switch s.Verdict {
	case secrets.VerdictPass:
		return condition(kind, metav1.ConditionTrue, contract.SecretsValidReason, s.Reason)
	case secrets.VerdictDeny:
		return condition(kind, metav1.ConditionFalse, contract.SecretsDeniedReason, s.Reason)
	case secrets.VerdictUnknown:
		return condition(kind, metav1.ConditionUnknown, contract.UnknownReason, s.Reason)
	}
	if holds, reason := s.Holds(); holds {
		return condition(kind, metav1.ConditionFalse, contract.SecretsPendingReason, reason)
	}
	return condition(kind, metav1.ConditionUnknown, contract.SecretsPendingReason, cmp.Or(s.Reason, "no SecretReport for this artifact yet"))
}

// clip keeps messages readable, and within what an event or condition holds.
func clip(message string) string {
	const limit = 2048
	if len(message) <= limit {
		return message
	}
	return strings.ToValidUTF8(message[:limit], "") + "…"
}
