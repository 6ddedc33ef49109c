// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

// The part of SARIF 2.1.0 that code hosts show.
type (
	log struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []run  `json:"runs"`
	}
	run struct {
		Tool struct {
			Driver driver `json:"driver"`
		} `json:"tool"`
		Results []result `json:"results"`
	}
	driver struct {
		Name           string       `json:"name"`
		InformationURI string       `json:"informationUri"`
		Rules          []descriptor `json:"rules"`
	}
	descriptor struct {
		ID               string `json:"id"`
		ShortDescription text   `json:"shortDescription"`
		Help             text   `json:"help"`
		HelpURI          string `json:"helpUri"`
	}
	text struct {
		Text string `json:"text"`
	}
	result struct {
		RuleID              string            `json:"ruleId"`
		Level               string            `json:"level"`
		Message             text              `json:"message"`
		Locations           []location        `json:"locations,omitempty"`
		PartialFingerprints map[string]string `json:"partialFingerprints"`
	}
	location struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region *region `json:"region,omitempty"`
		} `json:"physicalLocation"`
	}
	region struct {
		StartLine int `json:"startLine"`
	}
)

var levels = map[secretsv1.Severity]string{
	secretsv1.SeverityError: "error", secretsv1.SeverityWarning: "warning",
	secretsv1.SeverityUnknown: "warning", secretsv1.SeverityInfo: "note",
}

// SARIF is the report for code hosts that show findings beside the lines.
func (r Report) SARIF() any {
	one := run{Results: []result{}}
	one.Tool.Driver = driver{Name: "holdfast", InformationURI: "https://github.com/holdfast-gitops/holdfast", Rules: []descriptor{}}
	for _, id := range r.Names() {
		about, _ := rule.ByID(id)
		one.Tool.Driver.Rules = append(one.Tool.Driver.Rules, descriptor{
			ID: id, ShortDescription: text{about.Explanation}, Help: text{about.Remedy}, HelpURI: about.Source,
		})
	}
	for _, f := range r.Findings {
		one.Results = append(one.Results, f.result())
	}
	return log{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []run{one}}
}

// result has a fingerprint of the place: a keyed digest of a value would be
// another one in each run, and the host would show the finding as new.
func (f Finding) result() result {
	plain := f.Finding
	plain.Evidence = ""
	message := fmt.Sprintf("%s %s: %s", f.Object.Kind, finding.Name(f.Object), f.Message)
	if f.Severity == secretsv1.SeverityUnknown {
		message = "Unknown: " + message
	}
	out := result{
		RuleID: f.Rule, Level: levels[f.Severity], Message: text{screen.Clean(message)},
		PartialFingerprints: map[string]string{"holdfast/v1": plain.Fingerprint()},
	}
	if f.File == "" {
		return out
	}
	var at location
	at.Physical.Artifact.URI = f.File
	if f.Line > 0 {
		at.Physical.Region = &region{StartLine: f.Line}
	}
	out.Locations = []location{at}
	return out
}

// Markdown is the report as a comment on a merge request.
func (r Report) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### Holdfast: secrets of `%s`: %s\n\n%s.\n", quiet(r.Path), r.Verdict(), r.sentence())
	for i, f := range r.Findings {
		if i == 0 {
			b.WriteString("\n| severity | rule | object | what |\n|---|---|---|---|\n")
		}
		where := quiet(title(f))
		if at := f.where(); at != "" {
			where += " (" + quiet(at) + ")"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s %s |\n", f.Severity, quiet(f.Rule), where, quiet(f.Message), quiet(f.Remedy))
	}
	for i, note := range r.Notes {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "- note: %s\n", quiet(note))
	}
	return b.String()
}

// quiet is text in which nothing has a meaning to Markdown or mentions anybody.
func quiet(s string) string { return signs.Replace(strings.Join(strings.Fields(screen.Clean(s)), " ")) }

var signs = strings.NewReplacer(
	"\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "<", "&lt;", ">", "&gt;", "|", "\\|", "@", "&#64;", "#", "&#35;",
)
