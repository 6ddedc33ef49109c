// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/halt"
	secrets "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
)

// Facts is what one run found.
type Facts struct {
	// Halt ended the run before a comparison; nil if there was one.
	Halt *halt.Error
	// Revision and Digest of the source artifact of this run, if it got one.
	Revision string
	Digest   string
	// Compared is nil if nothing was compared.
	Compared *Comparison
	Rendered *api.Rendered
	Stage    Stage
	// Incomplete says why the render proves nothing about absence.
	Incomplete []string
	Notes      []string
	Secrets    Secrets
	Suspended  bool
	Doing      Doing
	// Ending: the Application is being deleted together with its objects.
	Ending bool
}

// Doing is what is planned, held and fought over.
type Doing struct {
	Plans *api.Plans
	// Hold is what an emergency leaves behind; Emergency says in words what
	// holds now, empty if nothing does.
	Hold      *api.Hold
	Emergency string
	// Until is the end of the emergency that is open; zero without.
	Until time.Time
	// Contested places, each with both writers.
	Contested []string
}

// Comparison is what a finished comparison found.
type Comparison struct {
	Objects []drift.Object
	// Further objects count for health alone.
	Further []drift.Object
	Summary api.Summary
	Ignore  []api.IgnoreRuleStatus
	// Own: what objects hide by rules of their own.
	Own *api.IgnoreAnnotationsStatus
}

// Stage is the effective stage and what holds it.
type Stage struct {
	Effective, Ceiling api.Stage
	HeldBy             string
	// Granted by a rollout; nil without one.
	Granted *api.StageGrant
}

// Secrets is what the secrets-controller says of this rendered artifact.
type Secrets struct {
	Gate    api.Gate
	Verdict secrets.Verdict // empty: no report for this artifact yet
	Reason  string
	// Undelivered are the errors of the readiness gate.
	Undelivered []secrets.Finding
}

// Holds says whether the gate holds the sync, and why: under Enforce, while the
// report for this very artifact is missing or denies. What cannot be decided
// does not hold, or an outage of a store would stop everything.
func (s Secrets) Holds() (bool, string) {
	if s.Gate != api.GateEnforce {
		return false, ""
	}
	switch s.Verdict {
	case secrets.VerdictDeny:
		return true, s.Reason
	case "":
		return true, cmp.Or(s.Reason, "no SecretReport for this artifact yet")
	}
	return false, ""
}

// most is how many notes a status keeps.
const most = 50

// Make gives the next status.
func Make(app *api.Application, f Facts, now time.Time) api.ApplicationStatus {
	next := *app.Status.DeepCopy()
	next.ObservedGeneration = app.Generation
	next.Stage = stageOf(app.Status.Stage, f.Stage, now)
	next.Notes = notes(f)
	if f.Rendered != nil {
		next.Rendered = f.Rendered
	}
	if at, asked := app.Annotations[requestedAt]; asked {
		next.LastHandledReconcileAt = at
	}
	if f.Compared != nil {
		compared(app, &next, f, now)
		next.Plans, next.Hold = f.Doing.Plans, f.Doing.Hold
	}
	if f.Ending {
		next.Plans = f.Doing.Plans
	}
	next.Conditions = conditions(app, f, next, now)
	return next
}

func compared(app *api.Application, next *api.ApplicationStatus, f Facts, now time.Time) {
	at := metav1.NewTime(now.Truncate(time.Second))
	next.Compared = &api.Compared{
		Revision: f.Revision, Digest: f.Digest, Time: at, ValidUntil: metav1.NewTime(at.Add(validFor(app))),
	}
	next.Summary = f.Compared.Summary.DeepCopy()
	next.IgnoreRules, next.IgnoreAnnotations = f.Compared.Ignore, f.Compared.Own
	entry := api.HistoryEntry{
		Revision: f.Revision, Digest: f.Digest, Time: at,
		Drifted: next.Summary.Drifted, Missing: next.Summary.Missing,
	}
	if len(next.History) > 0 && next.History[0].Digest == f.Digest {
		entry.Time = next.History[0].Time
		next.History[0] = entry
		return
	}
	next.History = append([]api.HistoryEntry{entry}, next.History...)
	next.History = next.History[:min(len(next.History), 10)]
}

// validFor is how long a verdict may be shown: one missed safety comparison
// and a margin, then a reader takes the controller for dead.
func validFor(app *api.Application) time.Duration {
	interval := Interval(app)
	return 2*interval + max(interval/2, time.Minute)
}

// Interval is the Application's, or an hour.
func Interval(app *api.Application) time.Duration {
	if app.Spec.Interval == nil || app.Spec.Interval.Duration <= 0 {
		return time.Hour
	}
	return app.Spec.Interval.Duration
}

func stageOf(before api.StageStatus, s Stage, now time.Time) api.StageStatus {
	next := api.StageStatus{Effective: s.Effective, Ceiling: s.Ceiling, HeldBy: s.HeldBy, Since: before.Since, Granted: s.Granted}
	if before.Effective != s.Effective || before.Since == nil {
		at := metav1.NewTime(now.Truncate(time.Second))
		next.Since = &at
	}
	return next
}

func notes(f Facts) []string {
	all := slices.Concat(f.Incomplete, f.Notes, findings(f.Compared))
	if len(all) <= most {
		return all
	}
	return append(slices.Clone(all[:most-1]), "and more: see the controller's log")
}

// findings are the API server's words about declarations that it would not take
// as they are, or not yet.
func findings(c *Comparison) []string {
	if c == nil {
		return nil
	}
	var found []string
	for _, o := range c.Objects {
		for _, words := range o.Findings {
			found = append(found, fmt.Sprintf("%s (%s): %s", o.ID, o.Source, words))
		}
	}
	return found
}

// Same says whether two statuses differ by nothing that a reader would notice:
// the times of a comparison that found the same may wait.
func Same(before, after api.ApplicationStatus) bool {
	a, b := before.DeepCopy(), after.DeepCopy()
	for _, s := range []*api.ApplicationStatus{a, b} {
		if s.Compared != nil {
			s.Compared.Time, s.Compared.ValidUntil = metav1.Time{}, metav1.Time{}
		}
	}
	return equal(*a, *b)
}

// Halted unwraps the halt of an error for Facts.
func Halted(err error, reason string) *halt.Error {
	var h *halt.Error
	if err == nil || errors.As(err, &h) {
		return h
	}
	return halt.Of(err, reason)
}
