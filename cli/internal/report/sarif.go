// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"path"
	"regexp"
	"strconv"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// The part of SARIF 2.1.0 that code hosts show.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID              string            `json:"ruleId"`
		Level               string            `json:"level"`
		Message             sarifText         `json:"message"`
		Locations           []sarifLocation   `json:"locations,omitempty"`
		PartialFingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
)

// rules are the effects that are findings; a reader filters by them.
var rules = []struct {
	effect            effect
	id, about, weight string
}{
	{overwrite, "holdfast/overwrites-hand-edit", "the change overwrites a hand edit", "error"},
	{remove, "holdfast/deletes", "the change deletes an object", "error"},
	{change, "holdfast/changes", "the change sets a field", "note"},
	{create, "holdfast/creates", "the change creates an object", "note"},
	{stays, "holdfast/stays", "live goes on to differ", "warning"},
	{undecided, "holdfast/not-judged", "it could not be judged", "warning"},
}

// SARIF is the preview for code hosts that show findings beside the lines.
func (v Preview) SARIF() any {
	run := sarifRun{Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "holdfast", InformationURI: "https://github.com/holdfast-gitops/holdfast"}
	for _, r := range rules {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{ID: r.id, ShortDescription: sarifText{r.about}})
		for i := range v.Entries {
			if e := &v.Entries[i]; effectOf(e) == r.effect {
				run.Results = append(run.Results, v.result(e, r.id, r.weight))
			}
		}
	}
	return sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

func (v Preview) result(e *v1alpha1.DriftEntry, rule, level string) sarifResult {
	r := sarifResult{
		RuleID: rule, Level: level, Message: sarifText{fullName(e.Object) + "\n" + v.lines(e)},
		PartialFingerprints: map[string]string{"holdfast/v1": fullName(e.Object) + " " + e.Path},
	}
	file, line := placeIn(v.Application.Spec.Path, e.DeclaredAt)
	if file == "" {
		return r
	}
	l := sarifLocation{Physical: sarifPhysical{Artifact: sarifArtifact{URI: file}}}
	if line > 0 {
		l.Physical.Region = &sarifRegion{StartLine: line}
	}
	r.Locations = []sarifLocation{l}
	return r
}

var inFile = regexp.MustCompile(`^([^:\s]+\.(?:ya?ml|json|tpl))(?::(\d+)|(: ).*)?$`)

// placeIn reads "app/web.yaml:7" and "values-prod.yaml: env.HOST"; values files
// are named as seen from the chart.
func placeIn(dir, declaredAt string) (file string, line int) {
	found := inFile.FindStringSubmatch(declaredAt)
	if found == nil {
		return "", 0
	}
	line, _ = strconv.Atoi(found[2])
	if found[3] != "" {
		return path.Join(dir, found[1]), line
	}
	return found[1], line
}
