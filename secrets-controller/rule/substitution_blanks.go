// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var substitutionBlanks = Rule{
	ID:          "substitution-blanks",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Flux replaces a variable that has no value by nothing: the object is applied with a hole in it.",
	Remedy:      "Define the variable, give it a default, or take the object out of substitution.",
	Source:      "https://github.com/fluxcd/flux2/issues/2148",
	Check:       checkSubstitutionBlanks,
}

func checkSubstitutionBlanks(in Input) []finding.Finding {
	deployer, substitutes := in.substitutes()
	if !substitutes {
		return nil
	}
	var out []finding.Finding
	for _, v := range in.Declared.Variables {
		if v.Defaulted || deployer.Variables[v.Name] {
			continue
		}
		f := spot(v.Ref, v.At, "variable %s has no value in %s: it is replaced by nothing", v.Name, title(deployer.Ref))
		if deployer.FromOthers {
			f = graded(f, secretsv1.SeverityUnknown)
			f.Message = "whether variable " + v.Name + " has a value cannot be told: more come from substituteFrom"
		}
		out = append(out, f)
	}
	return out
}
