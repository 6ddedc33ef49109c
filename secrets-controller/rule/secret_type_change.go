// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var secretTypeChange = Rule{
	ID:          "secret-type-change",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The type of a Secret cannot be changed: the API server refuses the update, and the old Secret stays.",
	Remedy:      "Choose a new target name with the new type.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/503",
	Check:       checkSecretTypeChange,
}

func checkSecretTypeChange(in Input) []finding.Finding {
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		was, existed := in.before(es.Ref)
		if !existed || was.Target.Name != es.Target.Name {
			return nil
		}
		from, to := typeOf(was.Spec), typeOf(es.Spec)
		if from == to {
			return nil
		}
		return one(spot(es.Ref, es.Target.At.Child("template", "type"), "the type of Secret %s changes from %s to %s, which the API server refuses", es.Target.Name, from, to))
	})
}

func typeOf(spec declaration.Spec) string {
	if spec.Target.Template == nil || spec.Target.Template.Type == "" {
		return "Opaque"
	}
	return spec.Target.Template.Type
}
