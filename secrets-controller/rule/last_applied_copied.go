// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var lastAppliedCopied = Rule{
	ID:          "last-applied-copied",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The last-applied annotation of kubectl is copied onto the Secret: tools take the Secret for an object that was applied.",
	Remedy:      "Give the target a template, or remove the annotation.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/1419",
	Check:       checkLastAppliedCopied,
}

func checkLastAppliedCopied(in Input) []finding.Finding {
	const annotation = "kubectl.kubernetes.io/last-applied-configuration"
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		if !es.Has(annotation) || es.Target.Template != nil {
			return nil
		}
		return one(spot(es.Ref, declaration.Pointer("/metadata/annotations").Child(annotation), "the annotation is copied onto Secret %s", es.Target.Name))
	})
}
