// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/shape"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var valuesFileLiteral = Rule{
	ID:          "values-file-literal",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A values file holds a secret that no rule about the rendered objects speaks of: whether a chart uses it or not, it stands in Git.",
	Remedy:      "Replace the value, and let the chart name a Secret that exists; encrypt the file with SOPS where the chart cannot.",
	Source:      "https://github.com/argoproj/argo-cd/issues/1786",
	Check:       checkValuesFileLiteral,
}

func checkValuesFileLiteral(in Input) []finding.Finding {
	var out []finding.Finding
	for _, v := range in.Source.Values {
		if isFixture(v.File) || isDefault(v) || in.speaksOf(v) {
			continue
		}
		f := fromSource(v.SourceLine, "value %s holds a secret in the open", strings.Join(v.Keys, "."))
		f.Evidence = v.Evidence
		out = append(out, f)
	}
	return out
}

// isFixture: what tests and examples of a chart set never reaches a cluster.
func isFixture(file string) bool {
	return slices.ContainsFunc(strings.Split(file, "/"), func(folder string) bool {
		return slices.Contains([]string{"ci", "test", "tests", "testdata", "example", "examples", "fixture", "fixtures"}, folder)
	})
}

// isDefault: a password that software ships with is no secret. Where it is
// applied, the rules about what was rendered speak of it.
func isDefault(v declaration.SourceValue) bool {
	return slices.Equal(v.Hits, []string{shape.DefaultCredential})
}

// speaksOf says whether the value is what another finding is about, as far as
// names can tell: one leak, one finding.
func (in Input) speaksOf(v declaration.SourceValue) bool {
	for _, secret := range in.Declared.Secrets {
		for _, leaf := range secret.Leaves {
			if leaf.Stands() && in.mayComeFrom(v, leaf.Key, secret.Ref.Name, leaf.Evidence) {
				return true
			}
		}
	}
	for _, o := range in.Declared.Open {
		if ruleFor(o) != "" && in.mayComeFrom(v, o.Name, o.Ref.Name, o.Evidence) {
			return true
		}
	}
	return false
}

func (in Input) mayComeFrom(v declaration.SourceValue, key, object, evidence string) bool {
	if v.Evidence != "" && v.Evidence == evidence {
		return true
	}
	return slices.ContainsFunc(in.valuesNamed(key, object), func(other declaration.SourceValue) bool { return other.SourceLine == v.SourceLine })
}
