// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
)

// Fleet is a list of Applications.
type Fleet struct {
	// Applications as they may be shown now, by namespace and name.
	Applications []*v1alpha1.Application
	// WithNamespace shows the namespace of each.
	WithNamespace bool
	// Wide shows every column, uncut.
	Wide bool
	Now  time.Time
}

// NewFleet orders the Applications and judges their age.
func NewFleet(apps []v1alpha1.Application, now time.Time) Fleet {
	f := Fleet{Now: now}
	for i := range apps {
		f.Applications = append(f.Applications, Current(&apps[i], now))
	}
	slices.SortFunc(f.Applications, func(a, b *v1alpha1.Application) int {
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	return f
}

// field is one column of the fleet's table.
type field struct {
	screen.Column
	cell func(app *v1alpha1.Application) string
}

// Text is the fleet's table.
func (f Fleet) Text(s screen.Style) string {
	fields := f.fields()
	var t screen.Grid
	for _, fd := range fields {
		t.Columns = append(t.Columns, fd.Column)
	}
	for _, app := range f.Applications {
		row := make([]string, len(fields))
		for i, fd := range fields {
			row[i] = fd.cell(app)
		}
		t.Rows = append(t.Rows, row)
	}
	if f.Wide {
		for i := range t.Columns {
			t.Columns[i].Shrink = nil
		}
	}
	return t.Text(s)
}

func (f Fleet) fields() []field {
	var fields []field
	add := func(c screen.Column, cell func(*v1alpha1.Application) string) {
		fields = append(fields, field{c, cell})
	}
	if f.WithNamespace {
		add(screen.Column{Name: "NAMESPACE"}, func(a *v1alpha1.Application) string { return a.Namespace })
	}
	add(screen.Column{Name: "NAME"}, func(a *v1alpha1.Application) string { return a.Name })
	add(screen.Column{Name: "STAGE"}, func(a *v1alpha1.Application) string { return orDash(string(a.Status.Stage.Effective)) })
	add(screen.Column{Name: "SYNCED"}, func(a *v1alpha1.Application) string { return status(a, contract.SyncedCondition) })
	add(screen.Column{Name: "HEALTHY"}, func(a *v1alpha1.Application) string { return status(a, contract.HealthyCondition) })
	add(screen.Column{Name: "DRIFT"}, f.count(func(s *v1alpha1.Summary) int32 { return s.Drifted }))
	add(screen.Column{Name: "MISSING"}, f.count(func(s *v1alpha1.Summary) int32 { return s.Missing }))
	if f.Wide {
		add(screen.Column{Name: "UNKNOWN"}, f.count(func(s *v1alpha1.Summary) int32 { return s.Unknown }))
	}
	add(screen.Column{Name: "STRAYS"}, f.count(func(s *v1alpha1.Summary) int32 { return s.Strays }))
	add(screen.Column{Name: "HELD BY", Shrink: shrinkHeld, Least: 16}, f.heldBy)
	add(screen.Column{Name: "REVISION", Shrink: shrinkRevision, Least: 7}, f.revision)
	add(screen.Column{Name: "AGE", Spare: !f.Wide}, func(a *v1alpha1.Application) string { return since(a.CreationTimestamp.Time, f.Now) })
	if f.Wide {
		add(screen.Column{Name: "CEILING"}, func(a *v1alpha1.Application) string { return orDash(string(a.Spec.Stage)) })
		add(screen.Column{Name: "READY"}, func(a *v1alpha1.Application) string { return status(a, contract.ReadyCondition) })
		add(screen.Column{Name: "SOURCE"}, sourceOf)
		add(screen.Column{Name: "MESSAGE"}, messageOf)
	}
	return fields
}

// count prints a number of the summary while the verdict holds, and a dash
// where there is none: old numbers beside Unknown would be read as news.
func (f Fleet) count(of func(*v1alpha1.Summary) int32) func(*v1alpha1.Application) string {
	return func(app *v1alpha1.Application) string {
		reason, _ := whyNotCurrent(app, f.Now)
		if app.Status.Summary == nil || reason != "" {
			return "-"
		}
		return fmt.Sprint(of(app.Status.Summary))
	}
}

// heldBy says, in the order of what has to be solved first, why an Application
// is not further.
func (f Fleet) heldBy(app *v1alpha1.Application) string {
	if app.Spec.Suspend {
		return "suspended"
	}
	ready := apimeta.FindStatusCondition(app.Status.Conditions, contract.ReadyCondition)
	if ready != nil && ready.Status == metav1.ConditionFalse && ready.Reason != contract.DriftedReason {
		return words(ready.Reason) + " since " + since(ready.LastTransitionTime.Time, f.Now)
	}
	switch reason, _ := whyNotCurrent(app, f.Now); reason {
	case ExpiredReason:
		return "expired " + since(app.Status.Compared.ValidUntil.Time, f.Now) + " ago"
	case OutdatedReason:
		return "changed, not compared yet"
	}
	if strings.HasPrefix(app.Status.Stage.HeldBy, "StageRollout ") {
		return "rollout " + strings.TrimPrefix(app.Status.Stage.HeldBy, "StageRollout ")
	}
	return app.Status.Stage.HeldBy
}

func (f Fleet) revision(app *v1alpha1.Application) string {
	if app.Status.Compared == nil {
		return "-"
	}
	if f.Wide {
		return app.Status.Compared.Revision
	}
	return shortRevision(app.Status.Compared.Revision, 7)
}

// shrinkRevision leaves out the algorithm, then the branch: the hash is what
// people compare.
func shrinkRevision(revision string, width int) string {
	name, hash, found := strings.Cut(revision, ":")
	if screen.Width(revision) <= width || !found {
		return screen.Cut(revision, width)
	}
	branch, _, _ := strings.Cut(name, "@")
	if short := branch + "@" + hash; screen.Width(short) <= width {
		return short
	}
	return screen.Cut(hash, width)
}

// shrinkHeld leaves out the rollout's name, then since when: what has to be
// solved is what people look for.
func shrinkHeld(held string, width int) string {
	if screen.Width(held) <= width {
		return held
	}
	if _, gate, found := strings.Cut(held, ": "); found {
		held = gate
	}
	if screen.Width(held) > width {
		held, _, _ = strings.Cut(held, " since ")
	}
	return screen.Cut(held, width)
}

func sourceOf(app *v1alpha1.Application) string {
	ref := app.Spec.SourceRef
	name := ref.Name
	if ref.Namespace != "" && ref.Namespace != app.Namespace {
		name = ref.Namespace + "/" + name
	}
	return ref.Kind + "/" + name + "//" + app.Spec.Path
}

func messageOf(app *v1alpha1.Application) string {
	ready := apimeta.FindStatusCondition(app.Status.Conditions, contract.ReadyCondition)
	if ready == nil {
		return ""
	}
	return ready.Message
}

// words spells a condition's reason: SourceNotReady is "source not ready".
func words(reason string) string {
	var b strings.Builder
	for i, r := range reason {
		if i > 0 && r >= 'A' && r <= 'Z' && reason[i-1] >= 'a' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}

// Names of the Applications.
func (f Fleet) Names() []string {
	var names []string
	for _, app := range f.Applications {
		names = append(names, applicationName(app))
	}
	return names
}

// Value is an ApplicationList, as kubectl gives it, but with verdicts that
// have expired shown as Unknown.
func (f Fleet) Value() any {
	list := v1alpha1.ApplicationList{Items: []v1alpha1.Application{}}
	list.APIVersion, list.Kind = v1alpha1.GroupVersion.String(), "ApplicationList"
	for _, app := range f.Applications {
		item := app.DeepCopy()
		item.APIVersion, item.Kind = v1alpha1.GroupVersion.String(), "Application"
		item.ManagedFields = nil
		list.Items = append(list.Items, *item)
	}
	return list
}
