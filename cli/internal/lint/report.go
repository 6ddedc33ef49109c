// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/report"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

// Finding is one with the place in the source that it comes from.
type Finding struct {
	finding.Finding
	// File is empty where the source does not tell it.
	File string
	Line int
}

// Report is what is wrong with a folder.
type Report struct {
	Source, Path, Renderer string
	Findings               []Finding
	Notes                  []string
	// Compared: there was a revision to compare with.
	Compared bool
}

func newReport(in Input, own folder, found []finding.Finding) Report {
	r := Report{
		Source: in.Name, Path: in.Path, Renderer: string(own.kind), Notes: slices.Clone(own.notes), Compared: in.Before != nil,
	}
	for _, f := range found {
		r.Findings = append(r.Findings, located(f, own, in.Options.Namespace))
	}
	r.Notes = append(r.Notes, "readiness is not judged: "+noCluster)
	if !r.Compared {
		r.Notes = append(r.Notes, "what this change deletes or leaves leaked is not judged: name the revision before it with --against")
	}
	slices.Sort(r.Notes)
	return r
}

// located finds the file of a finding: rules over files name it themselves.
func located(f finding.Finding, own folder, home string) Finding {
	out := Finding{Finding: f}
	if f.Object.Kind == "File" {
		at := strings.LastIndexByte(f.Path, ':')
		if line, err := strconv.Atoi(f.Path[at+1:]); err == nil && at > 0 {
			out.File, out.Line = f.Path[:at], line
		}
		return out
	}
	namespaces := []string{f.Object.Namespace}
	if f.Object.Namespace == home {
		namespaces = append(namespaces, "") // as written
	}
	for _, namespace := range namespaces {
		if source, known := own.places[place{f.Object.Kind, namespace, f.Object.Name}]; known {
			out.File, out.Line = source.File, source.Line
		}
	}
	return out
}

// Verdict is that of the declaration.
func (r Report) Verdict() secretsv1.Verdict {
	switch counts := r.counts(); {
	case counts.Errors > 0:
		return secretsv1.VerdictDeny
	case counts.Unknown > 0:
		return secretsv1.VerdictUnknown
	}
	return secretsv1.VerdictPass
}

func (r Report) counts() secretsv1.FindingCounts {
	var plain []finding.Finding
	for _, f := range r.Findings {
		plain = append(plain, f.Finding)
	}
	return finding.Count(plain)
}

// Level is how grave a finding has to be to fail the run.
type Level string

// The levels; each includes the ones before it.
const (
	Errors   Level = "error"
	Unknowns Level = "unknown"
	Warnings Level = "warning"
)

// Outcome is Differs where something is as grave as the level. What is
// unknown never makes the verdict Pass; whether it fails a merge request is
// for the team to say, since a store's content can never be known from Git.
func (r Report) Outcome(level Level) report.Outcome {
	counts := r.counts()
	switch {
	case counts.Errors > 0,
		level != Errors && counts.Unknown > 0,
		level == Warnings && counts.Warnings > 0:
		return report.Differs
	}
	return report.InSync
}

const (
	objectIndent  = 0
	findingIndent = 2
	proseIndent   = 4
	sideColumn    = 60
)

// Text is the screen.
func (r Report) Text(s screen.Style) string {
	p := screen.NewPage(s)
	paint := map[secretsv1.Verdict]func(string) screen.Span{
		secretsv1.VerdictPass: screen.Green, secretsv1.VerdictDeny: screen.Red, secretsv1.VerdictUnknown: screen.Yellow,
	}
	p.Line(0, screen.Bold(r.Path), screen.Plain(" ("+r.Renderer+")   declaration "), paint[r.Verdict()](string(r.Verdict())))
	p.Line(0, screen.Plain(r.sentence()))
	for i, f := range r.Findings {
		if i == 0 || r.Findings[i-1].Object != f.Object {
			p.Blank()
			p.Labelled(objectIndent, sideColumn, screen.Bold(title(f)), screen.Dim(f.where()))
		}
		grave := screen.Yellow
		if f.Severity == secretsv1.SeverityError {
			grave = screen.Red
		}
		p.Labelled(findingIndent, sideColumn, screen.Plain(cmp.Or(f.Path, "(whole object)")), grave(string(f.Severity)+"  "+f.Rule))
		p.Prose(proseIndent, 2, screen.Plain(f.Message))
		p.Prose(proseIndent, 2, screen.Dim(f.Remedy))
	}
	for i, note := range r.Notes {
		if i == 0 {
			p.Blank()
		}
		p.Prose(0, 2, screen.Dim("note: "+note))
	}
	return p.String()
}

func (r Report) sentence() string {
	c := r.counts()
	return fmt.Sprintf("%d errors, %d warnings, %d infos, %d unknown", c.Errors, c.Warnings, c.Infos, c.Unknown)
}

func title(f Finding) string { return f.Object.Kind + " " + finding.Name(f.Object) }

func (f Finding) where() string {
	if f.File == "" || f.Object.Kind == "File" {
		return ""
	}
	if f.Line == 0 {
		return f.File
	}
	return f.File + ":" + strconv.Itoa(f.Line)
}

// document is the form for programs.
type document struct {
	Source      string                  `json:"source"`
	Path        string                  `json:"path"`
	Renderer    string                  `json:"renderer"`
	Declaration secretsv1.Verdict       `json:"declaration"`
	Counts      secretsv1.FindingCounts `json:"counts"`
	Findings    []item                  `json:"findings"`
	Notes       []string                `json:"notes"`
}

type item struct {
	secretsv1.Finding `json:",inline"`
	File              string `json:"file,omitempty"`
	Line              int    `json:"line,omitempty"`
}

// Value is the whole report. A finding about a value has no fingerprint here:
// it would be keyed by this run and match nothing.
func (r Report) Value() any {
	doc := document{
		Source: r.Source, Path: r.Path, Renderer: r.Renderer, Declaration: r.Verdict(),
		Counts: r.counts(), Findings: []item{}, Notes: append([]string{}, r.Notes...),
	}
	for _, f := range r.Findings {
		published := secretsv1.Finding{
			Rule: f.Rule, Severity: f.Severity, Gate: f.Gate, Object: f.Object, Path: f.Path, Message: f.Message, Remedy: f.Remedy,
		}
		if f.Evidence == "" {
			published.Fingerprint = f.Fingerprint()
		}
		doc.Findings = append(doc.Findings, item{Finding: published, File: f.File, Line: f.Line})
	}
	return doc
}

// Names are the rules that fired, each once.
func (r Report) Names() []string {
	var names []string
	for _, f := range r.Findings {
		names = append(names, f.Rule)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
