// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
	"github.com/holdfast-gitops/holdfast/secrets-controller/schema"
)

var argoDefaultDiff = Rule{
	ID:          "argo-default-diff",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Before ESO 2.9 the definition fills in defaults that Git does not have, and Argo CD without server-side diff shows the object as out of sync for ever.",
	Remedy:      "Turn on server-side diff, or write the defaults down.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/5895",
	Check:       checkArgoDefaultDiff,
}

func checkArgoDefaultDiff(in Input) []finding.Finding {
	operator := in.Scope.Operator
	if in.Scope.GitOps.Tool != "argocd" || operator.IsZero() || !operator.Before(schema.Version{2, 9}) {
		return nil
	}
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		for _, item := range es.Data {
			if item.Remote.Conversion == "" || item.Remote.Decoding == "" {
				return one(spot(es.Ref, item.Remote.At, "the operator %s fills in conversionStrategy and decodingStrategy, and Argo CD shows them as drift", operator))
			}
		}
		return nil
	})
}
