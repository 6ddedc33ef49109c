// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// attention is what waits for a person.
type attention struct {
	plans, backlog, contested     *prometheus.GaugeVec
	glass, glassSince, glassUntil *prometheus.GaugeVec
}

func newAttention() attention {
	return attention{
		plans:      gauge("holdfast_plan_actions_awaiting_approval", "Actions of a plan that waits for an Approval; 0 if it waits for none.", "plan"),
		backlog:    gauge("holdfast_heal_backlog", "Entries older than the step to SelfHeal, which are healed with an Approval only."),
		contested:  gauge("holdfast_contested_places", "Places that another writer sets again and again, and that are left alone therefore."),
		glass:      gauge("holdfast_break_glass", "1 under the phase that an emergency is in: Open, or Held after its end by edits that are not in Git.", "phase"),
		glassSince: gauge("holdfast_break_glass_since_timestamp_seconds", "When the emergency was opened that is open or held; 0 without one."),
		glassUntil: gauge("holdfast_break_glass_until_timestamp_seconds", "When the open emergency ends; 0 without an open one."),
	}
}

// set writes what the status tells.
func (a attention) set(app types.NamespacedName, s api.ApplicationStatus) {
	plans := api.Plans{}
	if s.Plans != nil {
		plans = *s.Plans
	}
	for name, p := range map[string]*api.PlanStatus{"heal": plans.Heal, "prune": plans.Prune} {
		n := 0.0
		if p != nil && p.State == api.PlanAwaitingApproval {
			// A plan that waits is never 0, whatever it counts.
			n = max(1, float64(p.Actions))
		}
		a.plans.WithLabelValues(app.Namespace, app.Name, name).Set(n)
	}
	if s.Summary != nil {
		a.backlog.WithLabelValues(app.Namespace, app.Name).Set(float64(s.Summary.Backlog))
	}
	held, open := s.Hold != nil && s.Hold.Ended, s.Hold != nil && !s.Hold.Ended
	a.glass.WithLabelValues(app.Namespace, app.Name, "Open").Set(is(open))
	a.glass.WithLabelValues(app.Namespace, app.Name, "Held").Set(is(held))
	since := 0.0
	if s.Hold != nil {
		since = float64(s.Hold.Since.Unix())
	}
	a.glassSince.WithLabelValues(app.Namespace, app.Name).Set(since)
}

// Fought tells what a comparison found that the status has in words only: how
// many places two writers fight over, and the end of an open emergency.
func (a attention) Fought(app types.NamespacedName, places int, until time.Time) {
	a.contested.WithLabelValues(app.Namespace, app.Name).Set(float64(places))
	end := 0.0
	if !until.IsZero() {
		end = float64(until.Unix())
	}
	a.glassUntil.WithLabelValues(app.Namespace, app.Name).Set(end)
}

// setConditions tells the conditions that an application always has. One that
// is not there yet is Unknown.
func (f found) setConditions(app types.NamespacedName, list []metav1.Condition) {
	for _, kind := range []string{contract.ReadyCondition, contract.SyncedCondition, contract.HealthyCondition} {
		status, reason := metav1.ConditionUnknown, ""
		if c := meta.FindStatusCondition(list, kind); c != nil {
			status, reason = c.Status, c.Reason
		}
		for _, each := range []metav1.ConditionStatus{metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown} {
			f.conditions.WithLabelValues(app.Namespace, app.Name, kind, string(each)).Set(is(each == status))
		}
		if kind == contract.ReadyCondition {
			f.suspended.WithLabelValues(app.Namespace, app.Name).Set(is(reason == contract.SuspendedReason))
		}
	}
}
