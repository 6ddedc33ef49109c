// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"regexp"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
	"github.com/holdfast-gitops/holdfast/secrets-controller/schema"
)

var envfromBadNames = Rule{
	ID:          "envfrom-bad-names",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A key that is no name of a variable is left out by envFrom before Kubernetes 1.34, with an event and no error.",
	Remedy:      "Rename the key, or read it with env.",
	Source:      "https://github.com/kubernetes/kubernetes/issues/110620",
	Check:       checkEnvfromBadNames,
}

func checkEnvfromBadNames(in Input) []finding.Finding {
	relaxed := schema.Version{1, 34}
	var out []finding.Finding
	for _, ref := range in.Declared.References {
		if ref.Use != declaration.UseEnvFrom {
			continue
		}
		var bad []string
		for _, key := range in.resolve(ref).keys.Known {
			if !variableName.MatchString(ref.Prefix + key) {
				bad = append(bad, key)
			}
		}
		if len(bad) == 0 {
			continue
		}
		f := spot(ref.By, ref.EntryAt, "%s is no name of a variable: it is left out", listed(bad))
		if in.Scope.Kubernetes.IsZero() || !in.Scope.Kubernetes.Before(relaxed) {
			f = graded(f, secretsv1.SeverityInfo)
			f.Message = listed(bad) + " is no name of a variable for a shell, though Kubernetes takes it since 1.34"
		}
		out = append(out, f)
	}
	return out
}

var variableName = regexp.MustCompile(`^[-._a-zA-Z][-._a-zA-Z0-9]*$`)
