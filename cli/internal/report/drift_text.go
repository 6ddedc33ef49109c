// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"strings"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
)

// Text is the screen of one Application.
func (d Drift) Text(s screen.Style) string {
	p := screen.NewPage(s)
	d.header(p)
	d.state(p)
	shown := split(d.Entries, counted, removed, missing, unknown)
	if len(shown) == 0 && d.Outcome() == InSync {
		p.Blank()
		p.Prose(0, 0, screen.Green("live equals Git within the declared rules."))
	}
	d.blocks(p, shown)
	d.footer(p)
	return p.String()
}

func (d Drift) header(p *screen.Page) {
	app := d.Application
	spans := []screen.Span{
		screen.Bold("Application " + app.Namespace + "/" + app.Name),
		screen.Plain("   stage " + orDash(string(app.Status.Stage.Effective))),
	}
	c := app.Status.Compared
	if c == nil {
		p.Line(0, append(spans, screen.Yellow("   not compared yet"))...)
		return
	}
	spans = append(spans, screen.Plain("   compared "+shortRevision(c.Revision, 7)+" "+since(c.Time.Time, d.Now)+" ago"))
	if n := app.Status.Summary; n != nil {
		counts := fmt.Sprintf("%d objects: %d in sync, %d drifted, %d missing, %d unknown",
			n.Objects, n.InSync, n.Drifted, n.Missing, n.Unknown)
		p.Joined(spans, d.inColour(d.lastKnown()+counts))
		return
	}
	p.Line(0, spans...)
}

// lastKnown marks counts that are no longer a verdict.
func (d Drift) lastKnown() string {
	if reason, _ := whyNotCurrent(d.Application, d.Now); reason != "" {
		return "last known: "
	}
	return ""
}

// inColour shows the verdict: green is kept for what is known to be in sync.
func (d Drift) inColour(text string) screen.Span {
	if d.Outcome() == InSync {
		return screen.Green(text)
	}
	return screen.Yellow(text)
}

// told are the conditions that are worth a line, in the order in which they
// have to be solved.
var told = []string{
	contract.ReadyCondition, contract.StalledCondition, contract.SyncedCondition, contract.ContestedCondition,
	contract.BreakGlassCondition, contract.RenderCompleteCondition, contract.SecretsValidCondition,
}

// state tells what else one must know before the differences are believed:
// an expired verdict, a halt, what holds the stage.
func (d Drift) state(p *screen.Page) {
	app := d.Application
	if reason, message := whyNotCurrent(app, d.Now); reason != "" {
		p.Prose(0, 2, screen.Red("Synced=Unknown  "+reason+"  "+message))
	}
	for _, kind := range told {
		c := apimeta.FindStatusCondition(app.Status.Conditions, kind)
		if c != nil && alarming(c) {
			p.Prose(0, 2, screen.Yellow(fmt.Sprintf("%s=%s  %s  %s", c.Type, c.Status, c.Reason, c.Message)))
		}
	}
	if app.Spec.Suspend {
		p.Line(0, screen.Yellow("suspended: nothing is compared or written until spec.suspend is false"))
	}
	if held := app.Status.Stage.HeldBy; held != "" {
		p.Prose(0, 2, screen.Plain(fmt.Sprintf("stage held below %s by %s", orDash(string(app.Status.Stage.Ceiling)), held)))
	}
}

// alarming conditions are told apart from those that the counts and entries
// below say better, and from what this package itself put there.
func alarming(c *metav1.Condition) bool {
	if c.Reason == ExpiredReason || c.Reason == OutdatedReason {
		return false
	}
	switch c.Type {
	case contract.StalledCondition, contract.ContestedCondition, contract.BreakGlassCondition:
		return c.Status == metav1.ConditionTrue
	case contract.SyncedCondition:
		return c.Status == metav1.ConditionUnknown
	case contract.ReadyCondition:
		return c.Status != metav1.ConditionTrue && c.Reason != contract.DriftedReason
	default:
		return c.Status == metav1.ConditionFalse
	}
}

// blocks prints the entries below their objects.
func (d Drift) blocks(p *screen.Page, entries []v1alpha1.DriftEntry) {
	for i := range entries {
		e := &entries[i]
		fresh := i == 0 || entries[i-1].Object != e.Object
		if fresh {
			p.Blank()
			d.object(p, e)
		}
		if e.Path != "" || e.Wanted != nil || e.Live != nil {
			d.entry(p, e)
		} else {
			d.wholeObject(p, e)
		}
		d.consequences(p, e, !fresh && entries[i-1].Next == e.Next)
	}
}

// footer says what was not printed above, and why.
func (d Drift) footer(p *screen.Page) {
	if d.Explained {
		if entries := split(d.Entries, explained); len(entries) > 0 {
			p.Blank()
			p.Line(0, screen.Bold("explained, not counted:"))
			d.blocks(p, entries)
		}
	}
	var lines []string
	if !d.Explained {
		lines = append(lines, explainedLine(split(d.Entries, explained), home(d.Application)))
	}
	lines = append(lines, ignoredLine(d.Application), straysLine(d, p.Style()))
	if d.Truncated > 0 {
		lines = append(lines, fmt.Sprintf("%d more entries did not fit on the report's pages; they are counted above.", d.Truncated))
	}
	lines = append(lines, rulesEnded(d.Application)...)
	for _, note := range d.Application.Status.Notes {
		lines = append(lines, "note: "+note)
	}
	first := true
	for _, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if first {
			p.Blank()
			first = false
		}
		p.Prose(0, 2, screen.Plain(line))
	}
}
