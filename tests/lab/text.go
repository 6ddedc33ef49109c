// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// ReportText is a report without times: of each entry whether it counts, the
// object, the path, the class, how it differs, who wrote it, what Git and the
// cluster have, and what happens next.
func (s *Space) ReportText(entries []api.DriftEntry) string {
	var b strings.Builder
	for _, e := range entries {
		counts := "shown"
		if e.Drift {
			counts = "drift"
		}
		fmt.Fprintf(&b, "%s %s", counts, strings.Join(strings.Fields(
			fmt.Sprintf("%s %s %s %s", s.name(e.Object), e.Path, e.Class, e.Kind)), " "))
		if len(e.Managers) > 0 {
			fmt.Fprintf(&b, " by %s", writersOf(e))
		}
		b.WriteString("\n")
		for _, line := range []struct{ label, text string }{
			{"git ", valueOf(e.Wanted)},
			{"live", valueOf(e.Live)},
			{"in  ", e.DeclaredAt},
			{"why ", e.Explanation},
			{"read", consumersOf(e)},
			{"next", e.Next},
		} {
			if line.text != "" {
				fmt.Fprintf(&b, "  %s %s\n", line.label, line.text)
			}
		}
	}
	return s.anonymous(b.String())
}

// name is kind and name, with the namespace where it is not the test's.
func (s *Space) name(o api.ObjectReference) string {
	if o.Namespace == s.Namespace {
		return o.Kind + "/" + o.Name
	}
	return o.Kind + "/" + strings.TrimPrefix(o.Namespace+"/"+o.Name, "/")
}

func writersOf(e api.DriftEntry) string {
	var names []string
	for _, m := range e.Managers {
		name := m.Name
		if m.Subresource != "" {
			name += "/" + m.Subresource
		}
		names = append(names, name)
	}
	return strings.Join(names, ",")
}

func valueOf(v *api.Value) string {
	switch {
	case v == nil:
		return ""
	case v.Masked:
		return "(masked)"
	}
	return v.JSON
}

func consumersOf(e api.DriftEntry) string {
	var readers []string
	for _, c := range e.Consumers {
		readers = append(readers, fmt.Sprintf("by %s/%s (%s)", c.Kind, c.Name, c.How))
	}
	return strings.Join(readers, ", ")
}

// StatusText is a status without times: the conditions about the comparison,
// the stage, the counts, the notes and what ignore rules hide. Health and the
// verdict on secrets are left out: they come later than a comparison, and from
// elsewhere.
func (s *Space) StatusText(app *api.Application) string {
	var b strings.Builder
	for _, kind := range []string{contract.ReadyCondition, contract.SyncedCondition, contract.StalledCondition, contract.ReconcilingCondition} {
		if c := meta.FindStatusCondition(app.Status.Conditions, kind); c != nil {
			fmt.Fprintf(&b, "%s=%s %s: %s\n", c.Type, c.Status, c.Reason, c.Message)
		}
	}
	fmt.Fprintf(&b, "stage %s of %s", app.Status.Stage.Effective, app.Status.Stage.Ceiling)
	if held := app.Status.Stage.HeldBy; held != "" {
		fmt.Fprintf(&b, ", held by %s", held)
	}
	b.WriteString("\n")
	if n := app.Status.Summary; n != nil {
		fmt.Fprintf(&b, "%d objects: %d in sync, %d drifted, %d missing, %d unknown; %d strays, %d removed\n",
			n.Objects, n.InSync, n.Drifted, n.Missing, n.Unknown, n.Strays, n.Removed)
	}
	for _, note := range app.Status.Notes {
		fmt.Fprintf(&b, "note %s\n", note)
	}
	for _, rule := range app.Status.IgnoreRules {
		fmt.Fprintf(&b, "ignore rule %d hides %d of %s, expired %t", rule.Rule, rule.Hidden, strings.Join(rule.Managers, ","), rule.Expired)
		if rule.Refused != "" {
			fmt.Fprintf(&b, ", %s", rule.Refused)
		}
		b.WriteString("\n")
	}
	if own := app.Status.IgnoreAnnotations; own != nil {
		fmt.Fprintf(&b, "%d objects with rules of their own, %d refused; they hide %d of %s\n", own.Objects, own.Refused, own.Hidden, strings.Join(own.Managers, ","))
	}
	return s.anonymous(b.String())
}

// PlansText is what a status says of plans, without their digests.
func (s *Space) PlansText(app *api.Application) string {
	plans := app.Status.Plans
	if plans == nil {
		return "no plans\n"
	}
	var b strings.Builder
	for _, plan := range []struct {
		name string
		*api.PlanStatus
	}{{"heal", plans.Heal}, {"prune", plans.Prune}, {"undo", plans.Undo}} {
		if plan.PlanStatus == nil {
			continue
		}
		fmt.Fprintf(&b, "%s %s: %d actions, %d deletions\n", plan.name, plan.State, plan.Actions, plan.Deletions)
		for _, o := range plan.Objects {
			fmt.Fprintf(&b, "  %s\n", o)
		}
		if plan.Message != "" {
			fmt.Fprintf(&b, "  %s\n", strings.ReplaceAll(plan.Message, "; ", ";\n  "))
		}
	}
	return s.anonymous(b.String())
}

// What differs from one run to the next: ports, moments, and the plans of
// objects that are made anew.
var (
	generated = regexp.MustCompile(`127\.0\.0\.1:[0-9]+`)
	moment    = regexp.MustCompile(`\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	planned   = regexp.MustCompile(`plan sha256:[0-9a-f]{64}`)
)

// anonymous puts names in place of what is made up anew in each run.
func (s *Space) anonymous(text string) string {
	if !s.named {
		text = strings.ReplaceAll(text, s.Namespace, "$NS")
	}
	if s.Commit != "" {
		text = strings.ReplaceAll(text, s.Commit, "$COMMIT")
	}
	text = planned.ReplaceAllLiteralString(text, "plan $DIGEST")
	return moment.ReplaceAllLiteralString(generated.ReplaceAllLiteralString(text, "$HOST"), "$TIME")
}
