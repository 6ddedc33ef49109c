// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
)

// Secrets is one Application with the findings about its secrets.
type Secrets struct {
	Application *v1alpha1.Application
	// Status of the first page: the verdicts stand on every page alike.
	Status *secretsv1.SecretReportStatus
	// Findings of all pages, the gravest first.
	Findings []secretsv1.Finding
	// Deliveries of all pages, in their order.
	Deliveries []secretsv1.Delivery
	Truncated  int32
	Now        time.Time
}

// NewSecrets joins the pages of an Application's SecretReport.
func NewSecrets(app *v1alpha1.Application, pages []secretsv1.SecretReport, now time.Time) Secrets {
	r := Secrets{Application: app, Now: now}
	for i := range pages {
		page := &pages[i].Status
		if r.Status == nil {
			r.Status = page
		}
		r.Findings = append(r.Findings, page.Findings...)
		r.Deliveries = append(r.Deliveries, page.Deliveries...)
		r.Truncated += page.Truncated
	}
	slices.SortStableFunc(r.Findings, func(a, b secretsv1.Finding) int {
		return cmp.Or(
			cmp.Compare(gravity(a.Severity), gravity(b.Severity)),
			strings.Compare(nameOfRef(a.Object), nameOfRef(b.Object)),
			strings.Compare(a.Path, b.Path),
			strings.Compare(a.Rule, b.Rule),
		)
	})
	return r
}

func gravity(s secretsv1.Severity) int {
	return slices.Index([]secretsv1.Severity{
		secretsv1.SeverityError, secretsv1.SeverityUnknown, secretsv1.SeverityWarning, secretsv1.SeverityInfo,
	}, s)
}

func nameOfRef(o secretsv1.ObjectReference) string { return o.Namespace + "/" + o.Kind + "/" + o.Name }

// Text is the screen of one Application's secrets.
func (r Secrets) Text(s screen.Style) string {
	p := screen.NewPage(s)
	title := screen.Bold("Application " + r.Application.Namespace + "/" + r.Application.Name)
	if r.Status == nil {
		p.Line(0, title, screen.Yellow("   no secret report yet"))
		p.Prose(0, 0, screen.Plain("The secrets-controller has not judged this Application. Is it running?  kubectl get pods -n holdfast-system"))
		return p.String()
	}
	p.Joined([]screen.Span{
		title,
		screen.Plain("   declaration "), verdictSpan(r.Status.Declaration),
		screen.Plain("   readiness "), verdictSpan(r.Status.Readiness),
	}, screen.Plain(r.observed()))
	p.Prose(0, 2, screen.Plain(because("declaration", r.Status.Declaration)))
	p.Prose(0, 2, screen.Plain(because("readiness", r.Status.Readiness)))
	n := r.Status.Counts
	p.Line(0, screen.Plain(fmt.Sprintf("%s, %s, %s, %d unknown",
		plural(int(n.Errors), "error"), plural(int(n.Warnings), "warning"), plural(int(n.Infos), "info"), n.Unknown)))
	r.findings(p)
	r.deliveries(p)
	r.restorability(p)
	if r.Truncated > 0 {
		p.Blank()
		p.Line(0, screen.Plain(fmt.Sprintf("%d more findings or deliveries did not fit on the report's pages; the counts above hold the findings.", r.Truncated)))
	}
	return p.String()
}

// observed says which render the findings are about, and whether it is the one
// that the Application serves now.
func (r Secrets) observed() string {
	o := r.Status.Observed
	if o == nil {
		return "nothing rendered was read yet"
	}
	text := "of " + shortRevision(o.Revision, 7) + " " + since(o.Time.Time, r.Now) + " ago"
	if now := r.Application.Status.Rendered; now != nil && now.Digest != o.Digest {
		text += ", an older render than the present one"
	}
	return text
}

// because gives the reason of a verdict that is no pass.
func because(gate string, v *secretsv1.VerdictStatus) string {
	if v == nil || v.Verdict == secretsv1.VerdictPass || v.Reason == "" {
		return ""
	}
	return gate + ": " + v.Reason
}

func verdictSpan(v *secretsv1.VerdictStatus) screen.Span {
	if v == nil {
		return screen.Yellow(string(secretsv1.VerdictUnknown))
	}
	switch v.Verdict {
	case secretsv1.VerdictPass:
		return screen.Green(string(v.Verdict))
	case secretsv1.VerdictDeny:
		return screen.Red(string(v.Verdict))
	default:
		return screen.Yellow(string(v.Verdict))
	}
}

func (r Secrets) findings(p *screen.Page) {
	usual := home(r.Application)
	for i, f := range r.Findings {
		if i == 0 || r.Findings[i-1].Object != f.Object {
			p.Blank()
			o := v1alpha1.ObjectReference{Kind: f.Object.Kind, Namespace: f.Object.Namespace, Name: f.Object.Name}
			p.Line(objectIndent, screen.Bold(objectName(o, usual)))
		}
		grave := screen.Yellow
		if f.Severity == secretsv1.SeverityError {
			grave = screen.Red
		}
		p.Labelled(pathIndent, sideColumn, screen.Plain(cmp.Or(f.Path, "(whole object)")), grave(string(f.Severity)+"  "+f.Rule))
		p.Prose(valueIndent, 2, screen.Plain(f.Message))
		p.Prose(valueIndent, 2, screen.Dim(f.Remedy))
	}
}

// Names of the Application.
func (r Secrets) Names() []string { return []string{applicationName(r.Application)} }

// secretsDocument is the form of a secret report for programs.
type secretsDocument struct {
	Application string                   `json:"application"`
	Namespace   string                   `json:"namespace"`
	Observed    *secretsv1.Observed      `json:"observed,omitempty"`
	Declaration *secretsv1.VerdictStatus `json:"declaration,omitempty"`
	Readiness   *secretsv1.VerdictStatus `json:"readiness,omitempty"`
	Counts      secretsv1.FindingCounts  `json:"counts"`
	Findings    []secretsv1.Finding      `json:"findings"`
	Truncated   int32                    `json:"truncated,omitempty"`

	Deliveries    []secretsv1.Delivery     `json:"deliveries,omitempty"`
	Restorability *secretsv1.Restorability `json:"restorability,omitempty"`
}

// Value is the whole report.
func (r Secrets) Value() any {
	doc := secretsDocument{
		Application: r.Application.Name, Namespace: r.Application.Namespace,
		Findings: append([]secretsv1.Finding{}, r.Findings...), Truncated: r.Truncated,
		Deliveries: r.Deliveries,
	}
	if r.Status != nil {
		doc.Observed, doc.Declaration = r.Status.Observed, r.Status.Declaration
		doc.Readiness, doc.Counts = r.Status.Readiness, r.Status.Counts
		doc.Restorability = r.Status.Restorability
	}
	return doc
}

// Outcome is InSync only where both verdicts pass for the present render.
func (r Secrets) Outcome() Outcome {
	if r.Status == nil || r.Status.Declaration == nil || r.Status.Readiness == nil {
		return Undecided
	}
	d, w := r.Status.Declaration.Verdict, r.Status.Readiness.Verdict
	switch {
	case d == secretsv1.VerdictDeny || w == secretsv1.VerdictDeny:
		return Differs
	case d == secretsv1.VerdictPass && w == secretsv1.VerdictPass:
		return InSync
	default:
		return Undecided
	}
}
