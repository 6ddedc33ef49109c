// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
)

// PlanKind is heal, prune or undo.
type PlanKind string

// The plans that an Application has.
const (
	HealPlan  PlanKind = "heal"
	PrunePlan PlanKind = "prune"
	UndoPlan  PlanKind = "undo"
)

// Plan of a kind; nil if the controller published none.
func Plan(app *v1alpha1.Application, kind PlanKind) *v1alpha1.PlanStatus {
	p := app.Status.Plans
	switch {
	case p == nil:
		return nil
	case kind == HealPlan:
		return p.Heal
	case kind == PrunePlan:
		return p.Prune
	default:
		return p.Undo
	}
}

// WithDigest finds the plan that a digest, or an unambiguous start of one, names.
func WithDigest(app *v1alpha1.Application, digest string) (PlanKind, *v1alpha1.PlanStatus) {
	short := strings.TrimSuffix(strings.TrimPrefix(digest, "sha256:"), "…")
	const least = 8
	for _, kind := range []PlanKind{HealPlan, PrunePlan, UndoPlan} {
		p := Plan(app, kind)
		if p != nil && p.Digest != "" && len(short) >= least && strings.HasPrefix(strings.TrimPrefix(p.Digest, "sha256:"), short) {
			return kind, p
		}
	}
	return "", nil
}

// Plans are what an Application is about to do, and what waits for whom.
type Plans struct {
	app   *v1alpha1.Application
	gone  []v1alpha1.InventoryEntry
	kinds []PlanKind
	now   time.Time
}

// NewPlans gathers them; the inventory tells since when an object is known and
// when Git dropped it.
func NewPlans(app *v1alpha1.Application, pages []v1alpha1.Inventory, kinds []PlanKind, now time.Time) Plans {
	p := Plans{app: app, kinds: kinds, now: now}
	for i := range pages {
		for _, e := range pages[i].Status.Objects {
			if e.Removed != nil {
				p.gone = append(p.gone, e)
			}
		}
	}
	slices.SortFunc(p.gone, func(a, b v1alpha1.InventoryEntry) int { return strings.Compare(place(a.Object), place(b.Object)) })
	return p
}

func place(o v1alpha1.ObjectReference) string {
	if o.Namespace == "" {
		return o.Kind + " " + o.Name
	}
	return o.Kind + " " + o.Namespace + "/" + o.Name
}

// Text is a paragraph for each plan.
func (p Plans) Text(s screen.Style) string {
	page := screen.NewPage(s)
	page.Joined([]screen.Span{screen.Bold("Application " + p.app.Namespace + "/" + p.app.Name)},
		screen.Plain("stage "+orDash(string(p.app.Status.Stage.Effective))))
	if reason, message := whyNotCurrent(p.app, p.now); reason != "" {
		page.Prose(0, 0, screen.Yellow("These plans are not about the present: "+message))
	}
	if held := p.app.Status.Stage.HeldBy; held != "" {
		page.Prose(0, 2, screen.Plain("held by "+held))
	}
	for _, kind := range p.kinds {
		page.Blank()
		p.one(page, kind)
	}
	return page.String()
}

func (p Plans) one(page *screen.Page, kind PlanKind) {
	plan := Plan(p.app, kind)
	if plan == nil || plan.State == v1alpha1.PlanEmpty {
		page.Line(0, screen.Bold(string(kind)), screen.Plain("  nothing"))
		return
	}
	page.Prose(0, 2, screen.Bold(fmt.Sprintf("%s (%s), plan %s, %s", title(kind), amount(plan, kind), shortRevision(plan.Digest, 12), words(string(plan.State)))))
	if kind == PrunePlan && len(p.gone) > 0 {
		for _, e := range p.gone {
			page.Prose(2, 4, screen.Plain(place(e.Object)+"   "+p.tombstone(e, page.Style())))
		}
	}
	if kind != PrunePlan || len(p.gone) == 0 {
		for _, object := range plan.Objects {
			page.Prose(2, 4, screen.Plain(object))
		}
		if more := int(plan.Actions) - len(plan.Objects); more > 0 && len(plan.Objects) > 0 {
			page.Line(2, screen.Dim(fmt.Sprintf("and %d more", more)))
		}
	}
	page.Prose(0, 2, screen.Yellow(plan.Message))
	p.next(page, kind, plan)
}

// next is the command that a person would run.
func (p Plans) next(page *screen.Page, kind PlanKind, plan *v1alpha1.PlanStatus) {
	switch {
	case kind == UndoPlan && plan.State != v1alpha1.PlanRefused:
		page.Verbatim(0, screen.Plain(fmt.Sprintf("bring back: holdfast undo %s -n %s --reason \"…\"", p.app.Name, p.app.Namespace)))
	case plan.State == v1alpha1.PlanAwaitingApproval:
		page.Verbatim(0, screen.Plain(fmt.Sprintf("approve: holdfast approve %s -n %s --plan %s --reason \"…\"",
			p.app.Name, p.app.Namespace, shortRevision(plan.Digest, 12))))
	}
}

func title(kind PlanKind) string {
	return map[PlanKind]string{HealPlan: "to heal", PrunePlan: "to delete", UndoPlan: "can be brought back"}[kind]
}

func amount(plan *v1alpha1.PlanStatus, kind PlanKind) string {
	if kind == PrunePlan {
		return fmt.Sprint(plan.Deletions)
	}
	return fmt.Sprint(plan.Actions)
}

func (p Plans) tombstone(e v1alpha1.InventoryEntry, s screen.Style) string {
	var parts []string
	if e.Since != nil {
		parts = append(parts, "in inventory since "+s.Day(e.Since.Time)+" ("+string(e.Origin)+")")
	}
	gone := "gone from Git since " + s.Date(e.Removed.Since.Time)
	if e.Removed.Revision != "" {
		gone = "gone from Git in " + shortRevision(e.Removed.Revision, 7)
	}
	parts = append(parts, gone)
	if e.Removed.Beside != "" {
		parts = append(parts, "with a changed "+e.Removed.Beside+", so it needs an approval")
	}
	if e.Removed.Until != nil && e.Removed.Until.After(p.now) {
		parts = append(parts, "quarantine ends "+until(e.Removed.Until.Time, p.now))
	}
	return strings.Join(parts, ", ")
}

// Value is the plans as they were published, with the tombstones.
func (p Plans) Value() any {
	plans := map[PlanKind]any{}
	for _, kind := range p.kinds {
		if plan := Plan(p.app, kind); plan != nil {
			plans[kind] = plan
		}
	}
	return map[string]any{
		"application": p.app.Namespace + "/" + p.app.Name, "stage": p.app.Status.Stage, "plans": plans,
		"tombstones": append([]v1alpha1.InventoryEntry{}, p.gone...), "current": IsCurrent(p.app, p.now),
	}
}

// Names of the objects that would be deleted.
func (p Plans) Names() []string {
	var names []string
	for _, e := range p.gone {
		names = append(names, strings.ToLower(e.Object.Kind)+"/"+e.Object.Name)
	}
	return names
}
