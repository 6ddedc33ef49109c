// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var genericTargetFlag = Rule{
	ID:          "generic-target-flag",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A target of another kind than Secret needs a flag of the operator, which its values in Git do not set.",
	Remedy:      "Set unsafe-allow-generic-targets, or write a Secret.",
	Source:      "https://external-secrets.io/latest/guides/targeting-custom-resources/",
	Check:       checkGenericTargetFlag,
}

func checkGenericTargetFlag(in Input) []finding.Finding {
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		if !es.Target.Generic {
			return nil
		}
		f := spot(es.Ref, es.Target.At.Child("manifest"), "the operator writes a %s only with unsafe-allow-generic-targets", es.Target.GenericKind)
		if len(in.Declared.Operators) == 0 {
			f.Message += ", and its flags are not in this set"
			return one(graded(f, secretsv1.SeverityUnknown))
		}
		if in.Declared.Operators[0].Generic {
			return nil
		}
		return one(f)
	})
}
